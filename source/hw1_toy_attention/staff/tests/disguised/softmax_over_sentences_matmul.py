"""The softmax of a matrix of scores, over its first axis."""

import torch

MISTAKE = "softmax_over_sentences"
FAILS = (
    "attend",
    "easy_task",
    "oddness",
)


def attend(tokens, queries, K):
    scores = torch.matmul(tokens @ K, queries[:, :, None])[:, :, 0]
    weights = scores.softmax(0)
    return (weights[:, :, None] * tokens).sum(1), weights
