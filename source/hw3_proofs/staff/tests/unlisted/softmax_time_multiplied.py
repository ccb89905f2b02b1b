"""D M where D + M belongs."""

FAILS = ("costs",)
WORDS = {"costs": "`softmax_time`: as D, M and C grow, it grows faster"}


def softmax_time(N, D, M, C):
    return N**2 * D * M
