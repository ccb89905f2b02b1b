"""The pure state is taken for the second token's."""

import torch

FAILS = ("order_from_states",)
NUDGE = "Which of the two positions sees only itself?"
EXPLANATION = "This fits an answer in which both tokens are found and change places: the state that is the double of an embedding belongs to the first token, which sees nobody else."


def order_from_states(states, E):
    nearest, token = torch.cdist(states, 2 * E).min(dim=2)
    place, rows = nearest.argmin(dim=1), torch.arange(len(states))
    first = token[rows, place]
    rest = (states[rows, 1 - place] - 0.5 * E[first]) / 1.5
    return torch.stack([torch.cdist(rest, E).argmin(dim=1), first], dim=1)
