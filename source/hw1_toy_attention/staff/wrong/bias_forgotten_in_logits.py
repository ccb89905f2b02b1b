"""The logits have no bias."""

import torch

FAILS = ("easy_task", "xor_trained")
NUDGE = "Which of the parameters does your logit not use?"
EXPLANATION = "This fits logits without their bias: w . z is there, and beta is not."


def token_logit(tokens, Q, K, w, b):
    z, _ = attend(tokens, tokens[:, 1] @ Q, K)
    return z @ w


def xor_logits(tokens, queries, K, w, b):
    keys = torch.einsum("ntk,mkd->mntd", tokens, K)
    weights = torch.softmax(torch.einsum("mntd,mhd->mnht", keys, queries), dim=3)
    return torch.einsum("mnht,ntk,mhk->mn", weights, tokens, w)
