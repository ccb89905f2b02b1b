"""copy_first lets only the first position ask: the others attend to everything."""

import numpy as np

FAILS = ("copy_first",)
NUDGE = "Who has to find the first token: the first position, or all of them?"
EXPLANATION = (
    "Only the query of position 0 is not zero, so all other positions attend to everything equally."
)


def copy_first_weights():
    pos = np.eye(4)
    Km = np.zeros((7, 1))
    Km[3] = 20
    Qm = np.zeros((7, 1))
    Qm[3] = 1
    Vm = np.vstack([np.eye(3), np.zeros((4, 3))])
    return Km, Qm, Vm, pos
