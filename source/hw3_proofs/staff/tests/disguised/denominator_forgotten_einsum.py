"""Einsum, and no division."""

import torch

MISTAKE = "denominator_forgotten"
FAILS = ("kernel_attention", "kernel_attention_cost")


def kernel_attention(Q, K, V, phi):
    S = torch.einsum("jc,jm->cm", phi(K), V)
    return torch.stack([S.T @ query for query in phi(Q)])
