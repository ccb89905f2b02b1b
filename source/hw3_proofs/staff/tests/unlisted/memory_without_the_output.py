"""Values and output are left out of the memory of the linear form."""

FAILS = ("costs",)
WORDS = {"costs": "`linear_memory`: as N and M grow, it grows more slowly"}


def linear_memory(N, D, M, C):
    return N * C + C * M
