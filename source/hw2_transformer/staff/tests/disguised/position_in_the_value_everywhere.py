"""Vm has ones on its diagonal and repeats them in the positions' rows, with a wider pos."""

import numpy as np

MISTAKE = "position_in_the_value"
FAILS = ("copy_first",)


def copy_first_weights():
    pos = np.eye(6)
    Km = np.zeros((9, 2))
    Km[3] = 40
    Qm = np.ones((9, 2))
    Qm[:3] = 0
    Vm = np.vstack([np.eye(3)] * 3)
    return Km, Qm, Vm, pos
