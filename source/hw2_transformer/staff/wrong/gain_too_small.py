"""The right token is found, but the softmax is too soft for the tolerance."""

import numpy as np

FAILS = ("identity", "copy_first")
NUDGE = "How much weight is left on the wrong tokens?"
EXPLANATION = "The scores are too small: the softmax leaves more weight on wrong tokens than the tolerance allows."


def identity_weights():
    return np.eye(3), 4 * np.eye(3), np.eye(3)


def copy_first_weights():
    pos = np.eye(4)
    Km = np.zeros((7, 1))
    Km[3] = 4
    Qm = np.zeros((7, 1))
    Qm[3:] = 1
    Vm = np.vstack([np.eye(3), np.zeros((4, 3))])
    return Km, Qm, Vm, pos
