"""Trained as it should be, and nothing is returned."""

import torch
import torch.nn.functional as F

FAILS = ("train_table",)
WORDS = {"train_table": "is there a `return`"}


def train_table(logits_of, parameters, M, steps):
    pairs, wanted = all_pairs(len(M)), M.flatten()
    optimizer = torch.optim.Adam(parameters, lr=5e-3)
    for _ in range(steps):
        loss = F.cross_entropy(logits_of(pairs), wanted)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
