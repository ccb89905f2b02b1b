"""unique puts out 1 for unique tokens and 0, not a negative number, for repeated ones."""

import numpy as np

FAILS = ("unique",)
WORDS = {
    "unique": "zero|0.* where the task asks for a negative",
}


def unique_weights():
    pos = np.eye(5)
    Qm, Km = np.zeros((9, 9)), np.zeros((9, 9))
    Qm[:3, :3] = np.eye(3)
    Km[:3, :3] = 60 * np.eye(3)
    Qm[4:, 3:8] = np.eye(5)
    Km[4:, 3:8] = -60 * np.eye(5)
    Qm[:3, 8] = 1
    Km[3, 8] = 30
    Vm = np.zeros((9, 1))
    Vm[:4, 0] = [0, 0, 0, 1]
    return Km, Qm, Vm, pos
