"""As everything_trained: the names are not looked at, in a loop of its own."""

import torch

MISTAKE = "everything_trained"
FAILS = ("freezing",)


def train(w, names, contexts, law, steps):
    optimizer = torch.optim.Adam([*w.values()], lr=1e-2)
    losses = []
    for _ in range(steps):
        for item in w.values():
            item.grad = None
        loss = two_losses(attention_only(w, contexts), law, law.argmax(dim=1))[0]
        loss.backward()
        optimizer.step()
        losses.append(float(loss))
    return losses
