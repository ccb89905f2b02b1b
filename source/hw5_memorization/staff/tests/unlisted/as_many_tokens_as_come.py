"""There are as many tokens as ever come, whatever N says."""

import torch

FAILS = ("power_unif_law",)
WORDS = {"power_unif_law": "should have shape"}


def power_unif_law(alphas, choices, N):
    N = int(max(c.max() for c in choices)) + 1
    laws = []
    for alpha, tokens in zip(alphas, choices):
        p = torch.tensor([float(alpha) ** r for r in range(tokens.shape[-1])])
        laws.append(
            torch.zeros(*tokens.shape[:-1], N).scatter(
                -1, tokens, (p / p.sum()).expand(tokens.shape)
            )
        )
    return laws
