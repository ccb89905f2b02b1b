"""Rows are centred, not columns."""

FAILS = ("gauge",)
NUDGE = "What is the mean of each of your columns?"
EXPLANATION = "This fits rows from which their mean is taken. A constant over the tokens is a constant in a column."


def gauge(A, B):
    bases = [torch.linalg.qr(X - X.mean(dim=1, keepdim=True)).Q for X in (A, B)]
    return torch.linalg.norm(bases[0] @ bases[0].T - bases[1] @ bases[1].T)
