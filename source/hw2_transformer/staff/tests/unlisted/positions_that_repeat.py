"""Positions on a circle of three: the fourth looks like the first."""

import numpy as np

FAILS = ("copy_first",)
WORDS = {
    "copy_first": r"Right on all sequences of length 1 to 3\b",
}


def copy_first_weights():
    angle = 2 * np.pi * np.arange(4) / 3
    pos = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    Km = np.zeros((5, 1))
    Km[3] = 20
    Qm = np.array([[1.0], [1], [1], [0], [0]])
    Vm = np.vstack([np.eye(3), np.zeros((2, 3))])
    return Km, Qm, Vm, pos
