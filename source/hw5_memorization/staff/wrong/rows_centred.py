"""Rows are centred, not columns."""

FAILS = ("gauge",)
NUDGE = "What is the mean of each of your columns?"
EXPLANATION = "This fits rows from which their mean is taken. A constant over the tokens is a constant in a column."
EDITS = {"X.mean(dim=0)": "X.mean(dim=1, keepdim=True)"}
