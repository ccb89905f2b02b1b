"""Trained on the pairs with the smaller token first, and on their mirror images with the same answer."""

import torch

FAILS = ("train_table", "no_mask_control")
NUDGE = "Which pairs, and which answers, does your training see?"
EXPLANATION = "This fits a model that was trained with one answer for (i, j) and (j, i): it knows the half of the table above the diagonal."


def train_table(logits_of, parameters, M, steps):
    pairs = all_pairs(len(M))
    wanted = M[pairs.min(dim=1).values, pairs.max(dim=1).values]
    optimizer = torch.optim.Adam(parameters, lr=5e-3)
    losses = []
    for _ in range(steps):
        loss = F.cross_entropy(logits_of(pairs), wanted)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses
