"""M itself is turned round, and the pairs with it."""

import torch
import torch.nn.functional as F

FAILS = ("train_table",)
WORDS = {"train_table": "changes the table M"}


def train_table(logits_of, parameters, M, steps):
    pairs, wanted = all_pairs(len(M)).flip(1), M.t_().flatten()
    optimizer = torch.optim.Adam(parameters, lr=5e-3)
    losses = []
    for _ in range(steps):
        loss = F.cross_entropy(logits_of(pairs), wanted)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses
