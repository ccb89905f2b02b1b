"""Costs are given by the length alone, as if all widths were constants."""

FAILS = ("costs",)
NUDGE = "What happens to each cost when the values are twice as wide?"
EXPLANATION = "These orders are right for the length alone. Widths and the number of features are variables as well."


def softmax_time(N, D, M, C):
    return N**2


def softmax_memory(N, D, M, C):
    return N**2


def linear_time(N, D, M, C):
    return N


def linear_memory(N, D, M, C):
    return N
