"""The length alone, with factors that do not matter."""

MISTAKE = "costs_by_length_alone"
FAILS = ("costs",)


def softmax_time(N, D, M, C):
    return 2 * N**2 + N


def softmax_memory(N, D, M, C):
    return N**2 + 3 * N


def linear_time(N, D, M, C):
    return 4 * N


def linear_memory(N, D, M, C):
    return 2 * N
