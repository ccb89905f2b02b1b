"""D in place of its root."""

import numpy as np

FAILS = ("gaussian_derivation",)
WORDS = {"gaussian_derivation": "0 of 3 waypoints are right"}


def gaussian_derivation():
    return [
        ("factor of q", lambda q: np.exp(q @ q / (2 * len(q)))),
        ("Gaussian kernel", lambda q, k: np.exp(-(q - k) @ (q - k) / (2 * len(q)))),
        ("factor of k", lambda k: np.exp(k @ k / (2 * len(k)))),
    ]
