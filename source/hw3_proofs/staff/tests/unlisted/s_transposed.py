"""S turned round."""

FAILS = ("linear_derivation",)
WORDS = {"linear_derivation": r"`S`: line 1 has shape .* belongs"}


def linear_derivation():
    return [
        ("S", lambda phi_K, V: V.T @ phi_K),
        ("z", lambda phi_K: phi_K.sum(axis=0)),
    ]
