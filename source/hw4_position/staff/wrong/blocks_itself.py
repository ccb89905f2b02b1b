"""The diagonal is blocked, too."""

FAILS = ("causal_mask",)
NUDGE = "May a position look at itself? What is left for the first one?"
EXPLANATION = "This fits a mask that blocks the diagonal, too. Then the first position has nothing to look at, and what comes out is not a number."
EDITS = {"dtype=torch.bool).triu(1)": "dtype=torch.bool).triu(0)"}
