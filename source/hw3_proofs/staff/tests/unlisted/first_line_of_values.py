"""S is summed over everything but the features."""

FAILS = ("linear_derivation",)
WORDS = {"linear_derivation": r"`S`: line 1 has shape \(\d,\) where \(\d, \d\) belongs"}


def linear_derivation():
    return [
        ("S", lambda phi_K, V: (phi_K.T @ V).sum(axis=1)),
        ("z", lambda phi_K: phi_K.sum(axis=0)),
    ]
