"""Matrices of one column are written as plain vectors."""

import numpy as np

FAILS = ("copy_first",)
WORDS = {
    "copy_first": "Km should be a matrix",
}


def copy_first_weights():
    pos = np.eye(4)
    Km = np.array([0, 0, 0, 20, 0, 0, 0])
    Qm = np.array([0, 0, 0, 1, 1, 1, 1])
    Vm = np.vstack([np.eye(3), np.zeros((4, 3))])
    return Km, Qm, Vm, pos
