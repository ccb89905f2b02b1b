"""Losses are summed over the batch and not averaged."""

import torch

FAILS = ("nll_trap",)
NUDGE = "Does your loss grow when the same sentences stand in the batch twice?"
EXPLANATION = "This fits losses that are added up over the batch. Both are means."


def loss_of_the_demo(logits, labels):
    return -torch.softmax(logits, dim=1).gather(1, labels[:, None]).sum()


def cross_entropy(logits, labels):
    return (torch.logsumexp(logits, dim=1) - logits.gather(1, labels[:, None])[:, 0]).sum()
