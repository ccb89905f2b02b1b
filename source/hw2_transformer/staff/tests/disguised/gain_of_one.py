"""Identity matrices all over: ones seem large enough."""

import numpy as np

MISTAKE = "gain_too_small"
FAILS = ("identity", "copy_first")


def identity_weights():
    return np.eye(3), np.eye(3), np.eye(3)


def copy_first_weights():
    Km = np.array([[0, 0, 0, 1, 0, 0, 0]]).T
    Qm = np.array([[0, 0, 0, 1, 1, 1, 1]]).T
    Vm = np.vstack([np.identity(3), np.zeros((4, 3))])
    return Km, Qm, Vm, np.identity(4)
