"""The scores alone."""

FAILS = ("costs",)
WORDS = {"costs": "`softmax_memory`: as M alone grows, it grows more slowly"}


def softmax_memory(N, D, M, C):
    return N * N
