"""WING. What staff do after grading: look, mark, defend, return; the core imports nothing here."""
