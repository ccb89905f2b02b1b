"""The share is taken of the trained pairs."""

FAILS = ("mirror_share",)
NUDGE = "Of which pairs is the share asked?"
EXPLANATION = "This fits the number of mirrored test pairs over the number of trained ones."
EDITS = {"/ len(others)": "/ len(trained)"}
