"""The next position stays visible."""

FAILS = ("causal_mask",)
NUDGE = "Write the mask down for three positions, and read the row of the second."
EXPLANATION = (
    "This fits a mask whose diagonal is moved one too far: each position sees the one after it."
)
EDITS = {"dtype=torch.bool).triu(1)": "dtype=torch.bool).triu(2)"}
