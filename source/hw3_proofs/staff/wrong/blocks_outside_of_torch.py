"""Blocks in numpy, where nothing is counted."""

import numpy as np
import torch

FAILS = ("attend_in_blocks",)
NUDGE = "Which of your lines leave torch?"
EXPLANATION = "This computes in numpy, where nobody can count what it makes. Stay in torch."


def attend_in_blocks(Q, K, V, size):
    scores = Q.numpy() @ K.numpy().T / np.sqrt(Q.shape[1])
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    return torch.tensor(weights @ V.numpy() / weights.sum(axis=1, keepdims=True))
