"""Keys that grow along the sequence: the last token is found."""

import numpy as np

FAILS = ("copy_first",)
WORDS = {
    "copy_first": r"Right on all sequences of length 1\b.*attends most to B \(position 1\)",
}


def copy_first_weights():
    pos = np.eye(4)
    Km = np.zeros((7, 1))
    Km[3:, 0] = [0, 20, 40, 60]
    Qm = np.zeros((7, 1))
    Qm[3:] = 1
    Vm = np.vstack([np.eye(3), np.zeros((4, 3))])
    return Km, Qm, Vm, pos
