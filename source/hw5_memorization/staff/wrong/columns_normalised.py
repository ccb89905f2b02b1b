"""Columns get the length 1, and are not made orthogonal to each other."""

FAILS = ("gauge",)
NUDGE = "What is the product of two different columns of your basis?"
EXPLANATION = "This fits columns that are divided by their lengths. A projector is Q Q^T only where the columns of Q are orthogonal to each other, too."
EDITS = {"torch.linalg.qr(X - X.mean(dim=0)).Q": "F.normalize(X - X.mean(dim=0), dim=0)"}
