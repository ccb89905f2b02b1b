"""copy_first hands over the position together with the token."""

import numpy as np

FAILS = ("copy_first",)
NUDGE = "Should the value of a token depend on where it stands?"
EXPLANATION = "Vm mixes the position into the value. The output should be the token alone."


def copy_first_weights():
    pos = np.eye(4)
    Km = np.zeros((7, 1))
    Km[3] = 20
    Qm = np.zeros((7, 1))
    Qm[3:] = 1
    Vm = np.vstack([np.eye(3), np.eye(4, 3)])
    return Km, Qm, Vm, pos
