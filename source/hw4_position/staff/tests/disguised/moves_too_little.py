"""As returns_a_constant: trained, with a rate that is far too small."""

import torch
import torch.nn.functional as F

MISTAKE = "returns_a_constant"
FAILS = ("train_table", "symmetric_control", "no_mask_control")


def train_table(logits_of, parameters, M, steps):
    optimizer = torch.optim.SGD(parameters, lr=1e-4)
    losses = []
    for _ in range(steps):
        loss = F.cross_entropy(logits_of(all_pairs(len(M))), M.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses
