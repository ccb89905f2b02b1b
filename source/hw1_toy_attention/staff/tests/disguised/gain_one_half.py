"""Scores of one half at most."""

import numpy as np

MISTAKE = "gain_too_small"
FAILS = ("xor_by_hand",)


def xor_by_hand():
    queries = np.array([[1.0, 0.0], [-1.0, 0.0]])
    K = np.full((4, 2), 0.25)
    return queries, K, np.array([[0.25] * 4, [-0.25] * 4]), -1.9
