"""What writes the pages of docs/ that are made from code, and the tests of docs/, its site and the README."""
