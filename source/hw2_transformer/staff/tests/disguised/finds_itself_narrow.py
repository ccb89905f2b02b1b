"""No column for positions, other gains, and sizes of the output that differ."""

import numpy as np

MISTAKE = "finds_itself"
FAILS = ("unique",)


def unique_weights():
    pos = np.random.default_rng(0).normal(size=(5, 2))
    Km = np.zeros((6, 4))
    Qm = np.zeros((6, 4))
    Km[0, 0] = Km[1, 1] = Km[2, 2] = 100
    Qm[0, 0] = Qm[1, 1] = Qm[2, 2] = 1
    Km[3, 3] = 40
    Qm[:3, 3] = 1
    Vm = np.array([[-0.5], [-0.5], [-0.5], [2], [0], [0]])
    return Km, Qm, Vm, pos
