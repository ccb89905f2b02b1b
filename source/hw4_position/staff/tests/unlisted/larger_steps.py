"""Adam with twice the learning rate of the text."""

import torch
import torch.nn.functional as F

FAILS = ("train_table",)
WORDS = {"train_table": "learning rate"}


def train_table(logits_of, parameters, M, steps):
    pairs, wanted = all_pairs(len(M)), M.flatten()
    optimizer = torch.optim.Adam(parameters, lr=1e-2)
    losses = []
    for _ in range(steps):
        loss = F.cross_entropy(logits_of(pairs), wanted)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses
