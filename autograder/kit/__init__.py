"""What the files in staff/ import: questions, checks and values. Nothing here knows a homework."""
