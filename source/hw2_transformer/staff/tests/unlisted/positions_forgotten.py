"""copy_first returns three matrices, without pos."""

import numpy as np

FAILS = ("copy_first",)
WORDS = {
    "copy_first": r"should return 4 matrices, \(Km, Qm, Vm, pos\).*3",
}


def copy_first_weights():
    Km = np.array([[20.0], [0], [0]])
    Qm = np.array([[1.0], [1], [1]])
    Vm = np.eye(3)
    return Km, Qm, Vm
