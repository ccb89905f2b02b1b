"""Norms without their squares."""

import numpy as np

FAILS = ("gaussian_derivation",)
WORDS = {"gaussian_derivation": "0 of 3 waypoints are right. `factor of q`: line 1 is not right"}


def gaussian_derivation():
    return [
        ("factor of q", lambda q: np.exp(np.linalg.norm(q) / (2 * len(q) ** 0.5))),
        ("Gaussian kernel", lambda q, k: np.exp(-np.linalg.norm(q - k) / (2 * len(q) ** 0.5))),
        ("factor of k", lambda k: np.exp(np.linalg.norm(k) / (2 * len(k) ** 0.5))),
    ]
