"""Plain gradient descent with Adam's rate, which has not come far after so many steps."""

import torch

FAILS = ("train_heads", "freezing")
WORDS = {"train_heads": "at least .* needed", "freezing": "remembered.*needed"}


def train(w, names, contexts, law, steps):
    optimizer = torch.optim.SGD([w[name] for name in names], lr=1e-2)
    losses = []
    for _ in range(steps):
        loss, _ = two_losses(attention_only(w, contexts), law, contexts[:, 0])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses
