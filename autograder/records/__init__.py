"""Records: frozen values that all other packages pass around, and their JSON form; no file access."""
