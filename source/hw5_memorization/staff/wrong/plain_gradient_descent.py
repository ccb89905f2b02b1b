"""Plain gradient descent with Adam's rate, which has not come far after so many steps."""

import torch

FAILS = ("train_heads", "freezing")
NUDGE = "Which optimiser does the text name, and how fast do your losses fall?"
EXPLANATION = "This fits plain gradient descent with Adam's learning rate: the weights hardly move."


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
