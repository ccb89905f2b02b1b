"""The matrices are returned by name."""

import numpy as np

FAILS = ("identity",)
WORDS = {
    "identity": r"should return 3 matrices, \(Km, Qm, Vm\).*dict",
}


def identity_weights():
    return {"Km": np.eye(3), "Qm": 20 * np.eye(3), "Vm": np.eye(3)}
