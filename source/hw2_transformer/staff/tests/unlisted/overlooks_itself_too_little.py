"""The punishment for oneself is there, but smaller than what CLS is behind."""

import numpy as np

FAILS = ("unique",)
WORDS = {
    "unique": r"attends most to A \(position 1\)",
}


def unique_weights():
    pos = np.eye(5)
    Qm, Km = np.zeros((9, 9)), np.zeros((9, 9))
    Qm[:3, :3] = np.eye(3)
    Km[:3, :3] = 60 * np.eye(3)
    Qm[4:, 3:8] = np.eye(5)
    Km[4:, 3:8] = -10 * np.eye(5)
    Qm[:3, 8] = 1
    Km[3, 8] = 30
    Vm = np.zeros((9, 1))
    Vm[:4, 0] = [-1, -1, -1, 1]
    return Km, Qm, Vm, pos
