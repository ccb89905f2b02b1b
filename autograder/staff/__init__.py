"""WING. The work of staff after grading: look, mark, defend, return; the core imports nothing here."""
