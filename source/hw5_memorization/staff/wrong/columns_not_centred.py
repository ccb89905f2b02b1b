"""Columns are not centred, as in the source."""

FAILS = ("gauge",)
NUDGE = "What does a constant that is added to a column change in your number, and what in the law?"
EXPLANATION = "This fits the source's distance: columns as they are. A constant added to a column changes no law, so it has to be taken out first."


def gauge(A, B):
    bases = [torch.linalg.qr(X).Q for X in (A, B)]
    return torch.linalg.norm(bases[0] @ bases[0].T - bases[1] @ bases[1].T)
