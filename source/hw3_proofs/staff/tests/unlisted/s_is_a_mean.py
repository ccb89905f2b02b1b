"""S is divided by the number of keys, and z is not."""

FAILS = ("linear_derivation",)
WORDS = {"linear_derivation": "`S`: line 1 is "}


def linear_derivation():
    return [
        ("S", lambda phi_K, V: phi_K.T @ V / len(V)),
        ("z", lambda phi_K: phi_K.sum(axis=0)),
    ]
