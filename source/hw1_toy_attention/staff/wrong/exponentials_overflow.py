"""The exponentials of the logits are summed as they are."""

import torch

FAILS = ("nll_trap",)
NUDGE = "What is exp(1000)?"
EXPLANATION = "This fits log(sum(exp(x))) taken step by step: exp(1000) is infinite, and exp(-1000) is 0. The largest logit has to be taken off first."


def cross_entropy(logits, labels):
    total = torch.exp(logits).sum(dim=1).log()
    return (total - logits.gather(1, labels[:, None])[:, 0]).mean()
