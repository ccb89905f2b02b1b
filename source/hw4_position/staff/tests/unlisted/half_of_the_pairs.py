"""Every other step trains on the other half of the pairs."""

import torch
import torch.nn.functional as F

FAILS = ("train_table",)
WORDS = {"train_table": "all pairs"}


def train_table(logits_of, parameters, M, steps):
    pairs, wanted = all_pairs(len(M)), M.flatten()
    optimizer = torch.optim.Adam(parameters, lr=5e-3)
    losses = []
    for step in range(steps):
        half = slice(step % 2, None, 2)
        loss = F.cross_entropy(logits_of(pairs[half]), wanted[half])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses
