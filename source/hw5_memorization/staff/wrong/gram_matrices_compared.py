"""X X^T is taken for a projector."""

FAILS = ("gauge",)
NUDGE = "Does your projector do nothing the second time?"
EXPLANATION = "This fits X X^T in place of a projector: right only where columns are orthonormal."
EDITS = {"torch.linalg.qr(X - X.mean(dim=0)).Q": "X - X.mean(dim=0)"}
