"""The attention is right, but Vm gives another token back."""

import numpy as np

FAILS = ("identity", "copy_first")
NUDGE = "Follow one token: what does it hand over when it is found?"
EXPLANATION = "The attention finds the right token, but Vm turns it into another one."


def identity_weights():
    return np.eye(3), 20 * np.eye(3), np.roll(np.eye(3), 1, axis=1)


def copy_first_weights():
    pos = np.eye(4)
    Km = np.zeros((7, 1))
    Km[3] = 20
    Qm = np.zeros((7, 1))
    Qm[3:] = 1
    Vm = np.vstack([np.roll(np.eye(3), 1, axis=1), np.zeros((4, 3))])
    return Km, Qm, Vm, pos
