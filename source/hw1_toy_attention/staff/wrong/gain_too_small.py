"""The scores are so small that the softmax averages in place of choosing."""

import numpy as np

FAILS = ("xor_by_hand",)
NUDGE = "Print the weights of your two heads for a sentence with the signs + and -."
EXPLANATION = "This fits queries that are too small: the heads average instead of picking the largest and the smallest token."


def xor_by_hand():
    queries = np.array([[1.0], [-1.0]])
    return queries, np.full((4, 1), 0.25), np.array([[0.25] * 4, [-0.25] * 4]), -1.9
