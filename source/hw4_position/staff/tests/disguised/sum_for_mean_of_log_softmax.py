"""As sum_for_mean, by log_softmax."""

import torch

MISTAKE = "sum_for_mean"
FAILS = ("train_table",)


def train_table(logits_of, parameters, M, steps):
    pairs, losses = all_pairs(len(M)), []
    optimizer = torch.optim.Adam(parameters, lr=0.005)
    for _ in range(steps):
        optimizer.zero_grad()
        logs = torch.log_softmax(logits_of(pairs), dim=1)
        loss = -logs.gather(1, M.reshape(-1, 1)).sum()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses
