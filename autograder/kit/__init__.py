"""What the files in staff/ may import. Nothing here knows a homework, an answer or a mark."""
