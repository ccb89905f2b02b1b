"""The matrices are written as nn.Linear keeps them, one row an output."""

import numpy as np

FAILS = ("copy_first",)
WORDS = {
    "copy_first": "[Tt]ranspose|turned round",
}


def copy_first_weights():
    pos = np.eye(4)
    Km = np.array([[0, 0, 0, 20, 0, 0, 0]])
    Qm = np.array([[0, 0, 0, 1, 1, 1, 1]])
    Vm = np.hstack([np.eye(3), np.zeros((3, 4))])
    return Km, Qm, Vm, pos
