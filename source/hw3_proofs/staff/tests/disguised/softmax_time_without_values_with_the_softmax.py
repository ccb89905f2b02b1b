"""Scores and softmax, and then nothing."""

MISTAKE = "softmax_time_without_values"
FAILS = ("costs",)


def softmax_time(N, D, M, C):
    return N * N * D + 2 * N * N
