"""What turns facts into marks. Nothing here ever ran or imported student code."""
