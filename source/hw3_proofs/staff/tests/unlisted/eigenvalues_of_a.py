"""A's eigenvalues for those of its inverse."""

FAILS = ("svd_derivation",)
WORDS = {
    "svd_derivation": r"2 of 3 waypoints are right. `eigenvalues of A\^-1`: line 2 is (not right|off by up to \d+)"
}


def svd_derivation():
    return [
        ("eigenvalues of X X^T", lambda s: s**2),
        ("eigenvalues of A^-1", lambda s, lam: s**2 + lam),
        ("eigenvalues of the purifier", lambda s, lam: s**2 / (s**2 + lam)),
    ]
