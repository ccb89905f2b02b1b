"""Waypoints first, then forty lines that all say the same."""

import numpy as np

MISTAKE = "padded_derivation"
FAILS = ("features_derivation", "gaussian_derivation")


def features_derivation():
    lines = [
        (name, lambda x, y: (1 + np.dot(y, x)) ** 2)
        for name in ("linear terms", "cross terms", "squares")
    ]
    return lines + [lambda x, y: (1 + np.dot(y, x)) ** 2] * 40


def gaussian_derivation():
    return [
        ("Gaussian kernel", lambda q, k: np.exp(np.dot(k, q) / len(k) ** 0.5)),
        ("factor of q", lambda q: 1),
        ("factor of k", lambda k: 1),
        *[lambda q, k: np.exp(np.dot(q, k) / len(q) ** 0.5)] * 40,
    ]
