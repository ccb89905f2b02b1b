"""Two derivations whose results are called where they are to be found."""

import numpy as np

MISTAKE = "circular_derivation"
FAILS = ("variance_derivation", "gaussian_derivation")


def variance_derivation():
    return [
        lambda mu, sigma, d: dot_variance(mu, sigma, d),
        ("(E[q.k])^2", lambda mu, d: (d * mu**2) ** 2),
        ("Var[q.k]", dot_variance),
        ("E[(q.k)^2]", lambda mu, sigma, d: (d * mu**2) ** 2 + dot_variance(mu, sigma, d)),
    ]


def gaussian_derivation():
    return [
        ("factor of k", lambda k: np.exp(k @ k / 2 / gaussian_sigma(len(k)) ** 2)),
        ("factor of q", lambda q: np.exp(q @ q / 2 / gaussian_sigma(len(q)) ** 2)),
        (
            "Gaussian kernel",
            lambda q, k: np.exp(-(q - k) @ (q - k) / 2 / gaussian_sigma(len(q)) ** 2),
        ),
    ]
