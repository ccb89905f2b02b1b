"""One helper for all three, without its half."""

import numpy as np

MISTAKE = "gaussian_without_the_half"
FAILS = ("gaussian_derivation",)


def gaussian_derivation():
    def exponent(x):
        return np.linalg.norm(x) ** 2 / np.sqrt(x.size)

    return [
        ("factor of k", lambda k: np.exp(exponent(k))),
        ("Gaussian kernel", lambda q, k: np.exp(-exponent(k - q))),
        ("factor of q", lambda q: np.exp(exponent(q))),
    ]
