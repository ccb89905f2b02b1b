"""Queries as large as a number can be: the scores overflow."""

import numpy as np

FAILS = ("xor_by_hand",)
WORDS = {"xor_by_hand": "wrong"}


def xor_by_hand():
    queries = np.array([[1e308], [-1e308]])
    return queries, np.ones((4, 1)), np.array([[0.25] * 4, [-0.25] * 4]), -1.9
