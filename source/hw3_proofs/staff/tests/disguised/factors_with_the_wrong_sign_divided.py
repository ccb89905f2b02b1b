"""A division for a product."""

import numpy as np

MISTAKE = "factors_with_the_wrong_sign"
FAILS = ("gaussian_derivation",)


def gaussian_derivation():
    def of(x):
        return np.exp((x**2).sum() / (2 * len(x) ** 0.5))

    return [
        ("factor of k", lambda k: 1 / of(k)),
        ("factor of q", lambda q: 1 / of(q)),
        ("Gaussian kernel", lambda q, k: 1 / of(q - k)),
    ]
