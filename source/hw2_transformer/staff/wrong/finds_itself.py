"""unique does not overlook the token itself, so that every token seems repeated."""

import numpy as np

FAILS = ("unique",)
NUDGE = "Which equal token does a token find first?"
EXPLANATION = "A token attends to itself, because its own key is equal to its query. It must overlook its own position."


def unique_weights():
    pos = np.eye(5)
    Qm, Km = np.zeros((9, 4)), np.zeros((9, 4))
    Qm[:3, :3] = np.eye(3)
    Km[:3, :3] = 60 * np.eye(3)
    Qm[:3, 3] = 1
    Km[3, 3] = 30
    Vm = np.zeros((9, 1))
    Vm[:4, 0] = [-1, -1, -1, 1]
    return Km, Qm, Vm, pos
