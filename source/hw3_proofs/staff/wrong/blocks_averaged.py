"""The outputs of the blocks are averaged, each with the same weight."""

import math

import torch

FAILS = ("attend_in_blocks",)
NUDGE = "Should a block whose scores are all low count as much as the others?"
EXPLANATION = "This fits the mean of the blocks' outputs. A block with larger scores has to count more: merge m, l and o."


def attend_in_blocks(Q, K, V, size):
    outputs = []
    for start in range(0, len(K), size):
        scores = Q @ K[start : start + size].T / math.sqrt(Q.shape[1])
        outputs.append(torch.softmax(scores, dim=1) @ V[start : start + size])
    return sum(outputs) / len(outputs)
