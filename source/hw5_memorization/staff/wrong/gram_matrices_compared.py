"""X X^T is taken for a projector."""

FAILS = ("gauge",)
NUDGE = "Does your projector do nothing the second time?"
EXPLANATION = "This fits X X^T in place of a projector: right only where columns are orthonormal."


def gauge(A, B):
    centred = [X - X.mean(dim=0) for X in (A, B)]
    return torch.linalg.norm(centred[0] @ centred[0].T - centred[1] @ centred[1].T)
