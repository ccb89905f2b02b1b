"""The threshold is so low that noise is taken for a sign."""

import numpy as np

FAILS = ("xor_by_hand",)
WORDS = {"xor_by_hand": "% of 20,000 sentences"}


def xor_by_hand():
    queries = np.array([[50.0], [-50.0]])
    return queries, np.full((4, 1), 0.25), np.array([[0.25] * 4, [-0.25] * 4]), -1.6
