"""Gradients are computed, and no step is taken."""

import torch
import torch.nn.functional as F

FAILS = ("train_table", "symmetric_control", "no_mask_control")
WORDS = {"train_table": "of 144 pairs"}


def train_table(logits_of, parameters, M, steps):
    pairs, wanted = all_pairs(len(M)), M.flatten()
    optimizer = torch.optim.Adam(parameters, lr=5e-3)
    losses = []
    for _ in range(steps):
        loss = F.cross_entropy(logits_of(pairs), wanted)
        optimizer.zero_grad()
        loss.backward()
        losses.append(loss.item())
    return losses
