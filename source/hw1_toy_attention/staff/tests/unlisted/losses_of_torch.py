"""torch's own losses, which the text excludes."""

import torch.nn.functional as F

FAILS = ("nll_trap",)
WORDS = {"nll_trap": "without them"}


def loss_of_the_demo(logits, labels):
    return F.nll_loss(F.softmax(logits, dim=1), labels)


def cross_entropy(logits, labels):
    return F.cross_entropy(logits, labels)
