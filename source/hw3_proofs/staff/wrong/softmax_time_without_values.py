"""The time of softmax attention counts the scores, and not the weighted sums of values."""

FAILS = ("costs",)
NUDGE = "What is done with the N^2 weights after the softmax?"
EXPLANATION = "This counts the scores of softmax attention, and not the sums of values that they weigh, which may be wider."


def softmax_time(N, D, M, C):
    return N**2 * D
