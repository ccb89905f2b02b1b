"""The same sum of inverses, with the product simplified."""

import numpy as np

MISTAKE = "inverse_term_by_term"
FAILS = ("svd_derivation", "purifier_from_svd")


def svd_derivation():
    return [
        ("eigenvalues of X X^T", lambda s: np.square(s)),
        ("eigenvalues of A^-1", lambda s, lam: s**-2.0 + lam**-1),
        ("eigenvalues of the purifier", lambda s, lam: s**2 * (s**-2.0 + lam**-1)),
    ]


def purifier_from_svd(U, s, lam):
    return sum((1 + x**2 / lam) * np.outer(u, u) for x, u in zip(s, U.T))
