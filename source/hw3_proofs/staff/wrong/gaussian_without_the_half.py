"""The factor 1/2 in the exponents is lost."""

import numpy as np

FAILS = ("gaussian_derivation",)
NUDGE = "How often does q.k appear in ||q - k||^2?"
EXPLANATION = (
    "This fits exponents without the factor 1/2: their product is exp of twice the scaled score."
)


def gaussian_derivation():
    return [
        ("factor of q", lambda q: np.exp(q @ q / np.sqrt(len(q)))),
        ("Gaussian kernel", lambda q, k: np.exp(-(q - k) @ (q - k) / np.sqrt(len(q)))),
        ("factor of k", lambda k: np.exp(k @ k / np.sqrt(len(k)))),
    ]
