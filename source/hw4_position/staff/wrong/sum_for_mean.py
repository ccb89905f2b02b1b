"""The cross-entropies are summed over all pairs."""

import torch
import torch.nn.functional as F

FAILS = ("train_table",)
NUDGE = "What is the loss before any step, when all answers are equally likely?"
EXPLANATION = "This fits a sum of cross-entropies where the text asks for their mean. Adam hardly notices, but the losses are as many times too large as there are pairs."


def train_table(logits_of, parameters, M, steps):
    pairs, wanted = all_pairs(len(M)), M.flatten()
    optimizer = torch.optim.Adam(parameters, lr=5e-3)
    losses = []
    for _ in range(steps):
        loss = F.cross_entropy(logits_of(pairs), wanted, reduction="sum")
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses
