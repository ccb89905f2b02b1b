"""Matrices full of ones, so that everything attends to everything."""

import numpy as np

FAILS = ("identity",)
WORDS = {
    "identity": "all keys are equal",
}


def identity_weights():
    return np.ones((3, 3)), np.ones((3, 3)), np.eye(3)
