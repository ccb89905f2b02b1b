"""The choices are taken with the likeliest last."""

import torch

FAILS = ("power_unif_law",)
WORDS = {"power_unif_law": "off by up to"}


def power_unif_law(alphas, choices, N):
    laws = []
    for alpha, tokens in zip(alphas, choices):
        powers = torch.tensor([float(alpha) ** r for r in range(tokens.shape[-1])]).flip(0)
        chances = (powers / powers.sum()).expand(tokens.shape)
        laws.append(torch.zeros(*tokens.shape[:-1], N).scatter(-1, tokens, chances))
    return laws
