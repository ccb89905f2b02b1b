"""torch's own function for the mask, and concatenated zeros."""

import torch
from torch import nn


def ceiling(M):
    same = torch.eq(M, M.mT)
    return (same.float().mean().item() + 1.0) / 2.0


def causal_mask(T):
    return nn.Transformer.generate_square_subsequent_mask(T)


def table_logits(model, pairs, padded, mask):
    states = model.embedding(pairs)
    if padded:
        states = torch.cat([states, torch.zeros(len(pairs), 1, states.shape[2])], dim=1)
    return model.unembedding(model.encoder(states, mask))[:, -1, :]


def swap_gap(logits_of, n):
    table = logits_of(all_pairs(n)).reshape(n, n, -1)
    return (table - table.transpose(0, 1)).max()


def order_from_states(states, E):
    products = states @ E.T  # compare 2 x . e with e . e through |x - 2e|^2
    distance = states.pow(2).sum(2, keepdim=True) - 4 * products + 4 * E.pow(2).sum(1)
    place = distance.amin(dim=2).argmin(dim=1)
    first = distance[torch.arange(len(states)), place].argmin(dim=1)
    rest = states.sum(dim=1) - 2.5 * E[first]
    second = torch.cdist(rest, 1.5 * E).argmin(dim=1)
    return torch.column_stack((first, second))
