"""WING. The work of staff after grading: look, mark, ask, return; the core never imports it."""
