"""Everything is found, but Vm hands it over twice as large."""

import numpy as np

FAILS = ("identity",)
WORDS = {
    "identity": "same factor|size of Vm",
}


def identity_weights():
    Km = np.eye(3)
    Qm = 25 * np.eye(3)
    Vm = 2 * np.eye(3)
    return Km, Qm, Vm
