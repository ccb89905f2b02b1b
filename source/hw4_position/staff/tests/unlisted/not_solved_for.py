"""The second token is the one whose embedding, one and a half times, is nearest to its state."""

import torch

FAILS = ("order_from_states",)
WORDS = {"order_from_states": "off by up to|cases are right"}


def order_from_states(states, E):
    nearest, token = torch.cdist(states, 2 * E).min(dim=2)
    place, rows = nearest.argmin(dim=1), torch.arange(len(states))
    second = torch.cdist(states[rows, 1 - place], 1.5 * E).argmin(dim=1)
    return torch.stack([token[rows, place], second], dim=1)
