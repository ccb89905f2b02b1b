"""The largest logit of the whole batch is taken off, and not that of each sentence."""

import torch

FAILS = ("nll_trap",)
NUDGE = "May one batch have a sentence with small logits and one with large ones?"
EXPLANATION = "This fits exponentials of the logits minus the largest of the whole batch: in a sentence with much smaller logits all of them are 0. Each sentence has a largest logit of its own."


def cross_entropy(logits, labels):
    largest = logits.max()
    total = torch.exp(logits - largest).sum(dim=1).log() + largest
    return (total - logits.gather(1, labels[:, None])[:, 0]).mean()
