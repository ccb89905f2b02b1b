"""Each position finds the one before it, which is the first only for the second."""

import numpy as np

FAILS = ("copy_first",)
WORDS = {
    "copy_first": r"Right on all sequences of length 1 to 2\b.*attends most to",
}


def copy_first_weights():
    pos = np.eye(4)
    Km = np.vstack([np.zeros((3, 4)), 40 * np.eye(4)])
    Qm = np.zeros((7, 4))
    Qm[3, 0] = 1
    for i in range(1, 4):
        Qm[3 + i, i - 1] = 1
    Vm = np.vstack([np.eye(3), np.zeros((4, 3))])
    return Km, Qm, Vm, pos
