"""The token that asks is counted from the end, one token alone is squeezed, the bias is taken from sizes."""

import torch

FAILS = ("attend", "easy_task", "oddness")
WORDS = {"attend": "1 token", "easy_task": "tokens", "oddness": "not right"}


def attend(tokens, queries, K):
    scores = torch.einsum("ntd,nd->nt", tokens @ K, queries).squeeze()
    weights = torch.softmax(scores, dim=-1).reshape(tokens.shape[:2])
    return torch.einsum("nt,ntk->nk", weights, tokens), weights


def token_logit(tokens, Q, K, w, b):
    scores = torch.einsum("ntd,nd->nt", tokens @ K, tokens[:, -3] @ Q)
    return torch.softmax(scores, dim=1).unsqueeze(1).bmm(tokens)[:, 0] @ w + b


def oddness(logit, tokens, b):
    return ((logit(tokens) + logit(-tokens)).abs() - 2 * abs(b)).abs().max()
