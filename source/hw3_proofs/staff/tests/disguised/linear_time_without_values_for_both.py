"""The features of queries and of keys."""

MISTAKE = "linear_time_without_values"
FAILS = ("costs",)


def linear_time(N, D, M, C):
    return 2 * N * C + C
