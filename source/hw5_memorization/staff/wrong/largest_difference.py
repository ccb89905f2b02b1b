"""The spectral norm, not Frobenius'."""

FAILS = ("gauge",)
NUDGE = "Which norm is asked?"
EXPLANATION = "This fits the largest singular value of the difference of the projectors. Frobenius' norm is the root of the sum of all squares."


def gauge(A, B):
    bases = [torch.linalg.qr(X - X.mean(dim=0)).Q for X in (A, B)]
    return torch.linalg.norm(bases[0] @ bases[0].T - bases[1] @ bases[1].T, ord=2)
