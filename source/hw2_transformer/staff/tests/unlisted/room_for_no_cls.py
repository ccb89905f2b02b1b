"""pos has four rows, for four tokens: CLS is forgotten."""

import numpy as np

FAILS = ("unique",)
WORDS = {
    "unique": "pos needs at least 5 rows",
}


def unique_weights():
    pos = np.eye(4)
    Qm, Km = np.zeros((8, 8)), np.zeros((8, 8))
    Qm[:3, :3] = np.eye(3)
    Km[:3, :3] = 60 * np.eye(3)
    Qm[4:, 3:7] = np.eye(4)
    Km[4:, 3:7] = -60 * np.eye(4)
    Qm[:3, 7] = 1
    Km[3, 7] = 30
    Vm = np.zeros((8, 1))
    Vm[:4, 0] = [-1, -1, -1, 1]
    return Km, Qm, Vm, pos
