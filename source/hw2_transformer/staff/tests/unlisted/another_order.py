"""Returned in the order of the log: pos, Qm, Km, Vm."""

import numpy as np

FAILS = ("copy_first",)
WORDS = {
    "copy_first": r"order|\(Km, Qm, Vm, pos\)",
}


def copy_first_weights():
    pos = np.eye(4)
    Km = np.zeros((7, 1))
    Km[3] = 20
    Qm = np.zeros((7, 1))
    Qm[3:] = 1
    Vm = np.vstack([np.eye(3), np.zeros((4, 3))])
    return pos, Qm, Km, Vm
