"""The second loss has the gradient of the first."""

import torch
import torch.nn.functional as F

FAILS = ("two_losses",)
WORDS = {"two_losses": "next token's gradient"}


def two_losses(logits, law, tokens):
    logs = logits.log_softmax(dim=1)
    d = (torch.xlogy(law, law) - law * logs).sum(1).mean()
    n = F.cross_entropy(logits, tokens)
    return d, n.detach() + 0 * d
