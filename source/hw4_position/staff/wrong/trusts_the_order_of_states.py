"""The states are taken in the order in which they stand."""

import torch

FAILS = ("order_from_states",)
NUDGE = "Does your function give the same pair when the two states change places?"
EXPLANATION = "This fits an answer that takes the first state for the first token's. The two are in a random order; which is which has to be found from what is in them."


def order_from_states(states, E):
    first = torch.cdist(states[:, 0], 2 * E).argmin(dim=1)
    rest = (states[:, 1] - 0.5 * E[first]) / 1.5
    return torch.stack([first, torch.cdist(rest, E).argmin(dim=1)], dim=1)
