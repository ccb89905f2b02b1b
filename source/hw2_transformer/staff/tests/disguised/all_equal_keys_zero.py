"""The keys read the tokens' rows only, where they are zero: all keys are 0."""

import numpy as np

MISTAKE = "all_equal_keys"
FAILS = ("copy_first",)


def copy_first_weights():
    pos = np.eye(4)
    Km = np.zeros((7, 3))
    Qm = np.zeros((7, 3))
    Qm[3:, 0] = 50
    Vm = np.concatenate([np.eye(3), np.zeros((4, 3))], axis=0)
    return Km, Qm, Vm, pos
