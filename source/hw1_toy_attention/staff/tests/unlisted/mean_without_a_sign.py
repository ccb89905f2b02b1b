"""The probability itself, without the minus."""

import torch

FAILS = ("nll_trap",)
WORDS = {"nll_trap": "sign|-1|times"}


def loss_of_the_demo(logits, labels):
    return torch.softmax(logits, dim=1).gather(1, labels[:, None]).mean()
