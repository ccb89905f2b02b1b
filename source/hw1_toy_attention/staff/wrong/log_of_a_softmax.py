"""The logarithm is taken of a softmax that may be 0."""

import torch

FAILS = ("nll_trap",)
NUDGE = "Can a probability be 0 in the computer, and what is its logarithm then?"
EXPLANATION = "This fits log(softmax(x)): for large logits a probability is rounded to 0, and its logarithm is infinite. The logarithm of the sum of exponentials has to be taken in one piece."


def cross_entropy(logits, labels):
    probabilities = torch.softmax(logits, dim=1)
    return -torch.log(probabilities.gather(1, labels[:, None])).mean()
