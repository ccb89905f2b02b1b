"""The transform runs over the columns, not over the tokens."""

FAILS = ("fourier_power",)
NUDGE = "Over which axis is the sum in the formula, and how many frequencies come out?"
EXPLANATION = "This fits a transform over the columns. It has to run over the tokens, axis 0."
EDITS = {"dim=0)[1:].abs().pow(2).sum(dim=1)": "dim=1)[:, 1:].abs().pow(2).sum(dim=0)"}
