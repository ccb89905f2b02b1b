"""The first position is found, but Vm reads its position and not its token."""

import numpy as np

FAILS = ("copy_first",)
WORDS = {
    "copy_first": "Vm|whatever the tokens",
}


def copy_first_weights():
    pos = np.eye(4)
    Km = np.zeros((7, 1))
    Km[3] = 20
    Qm = np.zeros((7, 1))
    Qm[3:] = 1
    Vm = np.vstack([np.zeros((3, 3)), np.eye(4, 3)])
    return Km, Qm, Vm, pos
