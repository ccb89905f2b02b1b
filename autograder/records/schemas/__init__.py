"""The forms of the files that others read, as JSON Schema; a form that changes gets a new version."""
