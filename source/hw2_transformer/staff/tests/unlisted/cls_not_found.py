"""A unique token finds nothing that stands out, so it attends to all others alike."""

import numpy as np

FAILS = ("unique",)
WORDS = {
    "unique": "attends equally",
}


def unique_weights():
    pos = np.eye(5)
    Qm, Km = np.zeros((9, 8)), np.zeros((9, 8))
    Qm[:3, :3] = np.eye(3)
    Km[:3, :3] = 60 * np.eye(3)
    Qm[4:, 3:8] = np.eye(5)
    Km[4:, 3:8] = -60 * np.eye(5)
    Vm = np.zeros((9, 1))
    Vm[:4, 0] = [-1, -1, -1, 1]
    return Km, Qm, Vm, pos
