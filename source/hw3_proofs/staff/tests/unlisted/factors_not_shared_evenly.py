"""The factor of q has a 2 that the factor of k lacks."""

import numpy as np

FAILS = ("gaussian_derivation",)
WORDS = {"gaussian_derivation": "1 of 3 waypoints are right"}


def gaussian_derivation():
    return [
        ("factor of q", lambda q: 2 * np.exp(q @ q / (2 * np.sqrt(len(q))))),
        ("Gaussian kernel", lambda q, k: np.exp(-(q - k) @ (q - k) / (2 * np.sqrt(len(q))))),
        ("factor of k", lambda k: np.exp(k @ k / (2 * np.sqrt(len(k)))) / 2),
    ]
