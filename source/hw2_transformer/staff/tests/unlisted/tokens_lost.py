"""The attention is right, but Vm hands over nothing of one token."""

import numpy as np

FAILS = ("identity",)
WORDS = {
    "identity": "look at what Vm makes of them",
}


def identity_weights():
    return np.eye(3), 50 * np.eye(3), np.diag([1.0, 1.0, 0.0])
