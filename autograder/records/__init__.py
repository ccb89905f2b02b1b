"""Records: frozen values that all packages pass around, and their JSON form; no file access."""
