"""JSON Schemas of the files that other programs read; a form that changes gets a new version."""
