"""The right losses and steps, with a call for each; samples of the pairs for the gap; NaN for the ceiling."""

import torch
import torch.nn.functional as F

FAILS = ("train_table", "swap_gap", "ceiling")
WORDS = {"train_table": "once a step", "swap_gap": "not right", "ceiling": "NaN or infinity"}


def train_table(logits_of, parameters, M, steps):
    pairs, wanted = all_pairs(len(M)), M.flatten()
    optimizer = torch.optim.Adam(parameters, lr=5e-3)
    losses = []
    for _ in range(steps):
        losses.append(F.cross_entropy(logits_of(pairs), wanted).item())
        optimizer.zero_grad()
        F.cross_entropy(logits_of(pairs), wanted).backward()
        optimizer.step()
    return losses


def swap_gap(logits_of, n):
    pairs = all_pairs(n)[torch.randint(n * n, (500,))]
    return float((logits_of(pairs) - logits_of(pairs.flip(1))).abs().max())


def ceiling(M):
    equal = (M == M.T).sum() - len(M)
    return (len(M) + equal + (M.numel() - len(M) - equal) / 2) / M.numel() + 0 * torch.inf
