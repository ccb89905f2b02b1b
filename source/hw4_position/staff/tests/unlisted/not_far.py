"""Plain gradient descent, which has not come far."""

import torch
import torch.nn.functional as F

FAILS = ("train_table", "symmetric_control", "no_mask_control")
WORDS = {"train_table": "of 144 pairs", "symmetric_control": "of 144 pairs"}


def train_table(logits_of, parameters, M, steps):
    optimizer = torch.optim.SGD(parameters, lr=0.05)
    losses = []
    for _ in range(steps):
        loss = F.cross_entropy(logits_of(all_pairs(len(M))), M.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses
