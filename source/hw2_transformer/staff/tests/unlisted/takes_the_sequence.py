"""The function takes a sequence and computes the output itself."""

import numpy as np

FAILS = ("identity",)
WORDS = {
    "identity": "TypeError.*argument",
}


def identity_weights(seq):
    Km, Qm, Vm = np.eye(3), 20 * np.eye(3), np.eye(3)
    scores = (seq @ Qm) @ (seq @ Km).T / np.sqrt(3)
    weights = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    return weights @ (seq @ Vm)
