"""Two calls a step: the loss that is returned is that after the step."""

import torch
import torch.nn.functional as F

FAILS = ("train_table",)
WORDS = {"train_table": "before any step"}


def train_table(logits_of, parameters, M, steps):
    pairs, wanted = all_pairs(len(M)), M.flatten()
    optimizer = torch.optim.Adam(parameters, lr=5e-3)
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        F.cross_entropy(logits_of(pairs), wanted).backward()
        optimizer.step()
        losses.append(F.cross_entropy(logits_of(pairs), wanted).item())
    return losses
