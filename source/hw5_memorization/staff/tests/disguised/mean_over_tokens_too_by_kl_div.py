"""As mean_over_tokens_too: what F.kl_div does by itself."""

import torch.nn.functional as F

MISTAKE = "mean_over_tokens_too"
FAILS = ("two_losses",)


def two_losses(logits, law, tokens):
    return F.kl_div(F.log_softmax(logits, dim=1), law), F.cross_entropy(logits, tokens)
