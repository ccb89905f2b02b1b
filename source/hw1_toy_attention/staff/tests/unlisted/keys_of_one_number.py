"""A key is one number of a token: noise whose number is large is taken for a sign."""

import numpy as np

FAILS = ("xor_by_hand",)
WORDS = {"xor_by_hand": "% of 20,000 sentences"}


def xor_by_hand():
    queries = np.array([[1e4], [-1e4]])
    K = np.array([[1.0], [0.0], [0.0], [0.0]])
    return queries, K, np.array([[0.25] * 4, [-0.25] * 4]), -1.9
