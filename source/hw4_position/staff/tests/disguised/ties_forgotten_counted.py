"""As ties_forgotten, counted in a loop."""

MISTAKE = "ties_forgotten"
FAILS = ("ceiling",)


def ceiling(M):
    n = len(M)
    right = sum(1 for i in range(n) for j in range(n) if i <= j)
    return right / n**2
