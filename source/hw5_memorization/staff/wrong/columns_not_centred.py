"""Columns are not centred, as in the source."""

FAILS = ("gauge",)
NUDGE = "What does a constant that is added to a column change in your number, and what in the law?"
EXPLANATION = "This fits the source's distance: columns as they are. A constant added to a column changes no law, so it has to be taken out first."
EDITS = {"torch.linalg.qr(X - X.mean(dim=0))": "torch.linalg.qr(X)"}
