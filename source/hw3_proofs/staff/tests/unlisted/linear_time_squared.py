"""The features as a square."""

FAILS = ("costs",)
WORDS = {"costs": "`linear_time`: as C alone grows, it grows faster"}


def linear_time(N, D, M, C):
    return N * C**2 * M
