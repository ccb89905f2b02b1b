"""All pairs beside everything that is right."""

MISTAKE = "linear_memory_with_all_pairs"
FAILS = ("costs",)


def linear_memory(N, D, M, C):
    return 2 * N * C + C * M + N * N
