"""A product with ones, on the wrong side."""

import numpy as np

MISTAKE = "sum_over_features"
FAILS = ("linear_derivation",)


def linear_derivation():
    return [
        ("z", lambda phi_K: phi_K @ np.ones(phi_K.shape[1])),
        ("S", lambda phi_K, V: np.einsum("jc,jm->cm", phi_K, V)),
    ]
