"""copy_first gives every position the same key, so that its attention is a plain average."""

import numpy as np

FAILS = ("copy_first",)
NUDGE = "What makes the first position different from the others, for one who looks for it?"
EXPLANATION = "All keys are equal, so every query attends equally to every token. The key must tell position 0 from the others."


def copy_first_weights():
    pos = np.eye(4)
    Km = np.zeros((7, 1))
    Km[3:] = 1
    Qm = np.zeros((7, 1))
    Qm[3] = 1
    Vm = np.vstack([np.eye(3), np.zeros((4, 3))])
    return Km, Qm, Vm, pos
