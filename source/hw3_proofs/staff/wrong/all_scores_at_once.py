"""Softmax attention as the formula is written, whatever the size of a block."""

import math

import torch

FAILS = ("attend_in_blocks",)
NUDGE = "What is the shape of your scores? Does it grow with the number of keys?"
EXPLANATION = "This makes the scores with all keys at once. Read the keys in blocks, and merge."


def attend_in_blocks(Q, K, V, size):
    return torch.softmax(Q @ K.T / math.sqrt(Q.shape[1]), dim=1) @ V
