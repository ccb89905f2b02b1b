"""Rows and columns of the table are exchanged."""

import torch

FAILS = ("train_table",)
NUDGE = "Which entry of M is the answer to the pair (3, 7), and which one does your training use?"
EXPLANATION = (
    "This fits a model that learned M turned round: it answers (i, j) with the entry of (j, i)."
)


def train_table(logits_of, parameters, M, steps):
    pairs, wanted = all_pairs(len(M)), M.T.flatten()
    optimizer = torch.optim.Adam(parameters, lr=5e-3)
    losses = []
    for _ in range(steps):
        loss = F.cross_entropy(logits_of(pairs), wanted)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses
