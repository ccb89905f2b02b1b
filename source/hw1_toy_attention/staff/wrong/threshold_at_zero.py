"""The readout has no bias: the difference of maximum and minimum is always positive."""

import numpy as np

FAILS = ("xor_by_hand",)
NUDGE = "How large is the difference between the largest and the smallest token when both signs are equal?"
EXPLANATION = "This fits a readout without a threshold. The difference is positive in every sentence; it has to be compared with something between 1.8 and 2."


def xor_by_hand():
    queries = np.array([[50.0], [-50.0]])
    return queries, np.full((4, 1), 0.25), np.array([[0.25] * 4, [-0.25] * 4]), 0.0
