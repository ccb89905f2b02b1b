"""Records: frozen values that the rest passes around, and their JSON. Reads and writes no file."""
