"""What the linear form saves, not what it takes."""

FAILS = ("costs",)
WORDS = {"costs": "linear_time"}


def linear_time(N, D, M, C):
    return N * C * M - N**2 * (D + M)
