"""Scores as weights, all but the largest set to 0."""

import numpy as np

MISTAKE = "value_times_score"
FAILS = ("argmax_attention",)


def argmax_attention(q, K, V):
    scores = K @ q
    return np.where(scores == scores.max(), scores, 0) @ V
