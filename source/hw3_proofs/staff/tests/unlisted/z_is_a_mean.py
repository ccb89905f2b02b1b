"""z is divided by the number of keys, and S is not."""

FAILS = ("linear_derivation",)
WORDS = {"linear_derivation": "`z`: line 2 is "}


def linear_derivation():
    return [
        ("S", lambda phi_K, V: phi_K.T @ V),
        ("z", lambda phi_K: phi_K.mean(axis=0)),
    ]
