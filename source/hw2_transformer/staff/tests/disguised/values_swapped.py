"""Two rows of Vm have changed places."""

import numpy as np

MISTAKE = "values_permuted"
FAILS = ("identity", "copy_first")


def identity_weights():
    return 7 * np.eye(3), 7 * np.eye(3), np.array([[0, 1, 0], [1, 0, 0], [0, 0, 1]])


def copy_first_weights():
    pos = np.eye(4)
    Km, Qm = np.zeros((7, 1)), np.ones((7, 1))
    Km[3] = 15
    Vm = np.zeros((7, 3))
    Vm[[0, 1, 2], [1, 0, 2]] = 1
    return Km, Qm, Vm, pos
