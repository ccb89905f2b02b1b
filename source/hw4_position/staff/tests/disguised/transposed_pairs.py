"""As trained_on_the_transpose, with the pairs turned round."""

import torch

MISTAKE = "trained_on_the_transpose"
FAILS = ("train_table",)


def train_table(logits_of, parameters, M, steps):
    optimizer = torch.optim.Adam(parameters, lr=5e-3)
    losses, pairs = [], all_pairs(len(M))
    for _ in range(steps):
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(logits_of(pairs.flip(1)), M.flatten())
        loss.backward()
        optimizer.step()
        losses.append(float(loss))
    return losses
