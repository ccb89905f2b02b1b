"""Columns are divided by their lengths, not rows."""

FAILS = ("superposition",)
NUDGE = "What is on the diagonal of your cosines?"
EXPLANATION = "This fits columns of length 1. A cosine is that of two rows, so rows are divided by their lengths."
EDITS = {"F.normalize(rows, dim=1)": "F.normalize(rows, dim=0)"}
