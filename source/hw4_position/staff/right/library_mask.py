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


def rotate(x, positions, base):
    d = x.shape[1]
    speeds = torch.pow(torch.tensor(float(base)), -torch.arange(0, d, 2) / d)
    angles = torch.repeat_interleave(positions[:, None] * speeds, 2, dim=1)
    swapped = torch.stack([-x[:, 1::2], x[:, 0::2]], dim=-1).flatten(1)
    return x * angles.cos() + swapped * angles.sin()


def previous_by_rotation(d):
    q = nn.init.constant_(torch.empty(d), 5.0)
    return q, rotate(q.expand(1, d), torch.ones(1), 10000)[0]


def alibi_bias(heads, T):
    mask = nn.Transformer.generate_square_subsequent_mask(T)
    back = torch.arange(T)[:, None] - torch.arange(T)[None, :]
    slopes = 0.5 ** (torch.arange(1, heads + 1) * 8 / heads)
    return mask[None].repeat(heads, 1, 1) - slopes[:, None, None] * back
