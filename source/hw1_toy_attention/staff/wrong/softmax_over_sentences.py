"""The softmax runs over the sentences of the batch."""

import torch

FAILS = ("attend", "easy_task", "oddness")
NUDGE = (
    "What should sum to one: the weights of one sentence, or those of all sentences for one token?"
)
EXPLANATION = "This fits a softmax over the sentences of the batch. The weights of each sentence sum to one: the softmax runs over its tokens."


def attend(tokens, queries, K):
    scores = torch.einsum("ntd,nd->nt", tokens @ K, queries)
    weights = torch.softmax(scores, dim=0)
    return torch.einsum("nt,ntk->nk", weights, tokens), weights
