"""A gain with the wrong sign: each token attends to all others."""

import numpy as np

FAILS = ("identity",)
WORDS = {
    "identity": r"Right on all sequences of length 1\b.*attends (most )?to",
}


def identity_weights():
    return np.eye(3), -20 * np.eye(3), np.eye(3)
