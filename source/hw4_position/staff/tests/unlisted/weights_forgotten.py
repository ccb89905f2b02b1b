"""The mixed state is taken for the bare embedding of the second token."""

import torch

FAILS = ("order_from_states",)
WORDS = {"order_from_states": "off by up to"}


def order_from_states(states, E):
    nearest, token = torch.cdist(states, 2 * E).min(dim=2)
    place, rows = nearest.argmin(dim=1), torch.arange(len(states))
    second = torch.cdist(states[rows, 1 - place], -E).argmin(dim=1)
    return torch.stack([token[rows, place], second], dim=1)
