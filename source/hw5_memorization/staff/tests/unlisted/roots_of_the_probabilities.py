"""Tokens weigh as much as the roots of their probabilities."""

import torch

FAILS = ("second_order",)
WORDS = {"second_order": "that U can fit"}


def second_order(law, U):
    weights, logs = law.sqrt() / law.sqrt().sum(dim=1, keepdim=True), law.log()
    mean = weights @ U
    moved = U - mean[:, None]
    variance = torch.einsum("nk,nkd,nke->nde", weights, moved, moved)
    return torch.linalg.solve(variance, torch.einsum("nk,nk,nkd->nd", weights, logs, moved))
