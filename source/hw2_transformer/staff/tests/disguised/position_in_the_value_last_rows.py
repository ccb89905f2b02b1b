"""One number a position, which Vm adds to every token."""

import numpy as np

MISTAKE = "position_in_the_value"
FAILS = ("copy_first",)


def copy_first_weights():
    pos = np.array([[1.0], [0], [0], [0]])
    Km = np.array([[0.0], [0], [0], [25]])
    Qm = np.array([[1.0], [1], [1], [1]])
    Vm = np.vstack([np.eye(3), [1, 0, 0]])
    return Km, Qm, Vm, pos
