"""Frequency k is taken from the place of frequency k + 1."""

FAILS = ("keep_and_remove",)
NUDGE = "In which row of the transform is frequency 1, and what is in row 0?"
EXPLANATION = "This fits frequencies that are moved by one: row k of the transform is taken for k - 1. Row 0 is the mean, so frequency k is in row k."
EDITS = {"torch.arange(len(spectrum))": "torch.arange(-1, len(spectrum) - 1)"}
