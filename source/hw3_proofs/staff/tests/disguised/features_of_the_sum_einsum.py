"""Einsum, and one key that is the sum of all."""

import torch

MISTAKE = "features_of_the_sum"
FAILS = ("kernel_attention", "kernel_attention_cost")


def kernel_attention(Q, K, V, phi):
    summed = phi(K.sum(dim=0, keepdim=True))
    numerator = torch.einsum("ic,jc,jm->im", phi(Q), phi(K), V)
    return numerator / torch.einsum("ic,kc->ik", phi(Q), summed)
