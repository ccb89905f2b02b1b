"""Four columns for queries and keys, of which the first position alone uses one."""

import numpy as np

MISTAKE = "query_of_the_first_only"
FAILS = ("copy_first",)


def copy_first_weights():
    Km = np.zeros((7, 4))
    Km[3, 0] = 9
    Qm = np.zeros((7, 4))
    Qm[3, 0] = 9
    Vm = np.eye(7, 3)
    return Km, Qm, Vm, np.eye(4)
