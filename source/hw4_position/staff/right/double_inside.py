"""Everything in double precision where that is possible."""

import math

import torch


def ceiling(M):
    M = M.double()
    return (((M - M.T) == 0).double().sum() + M.numel()) / (2.0 * M.numel())


def causal_mask(T):
    return torch.ones((T, T), dtype=torch.bool).tril().logical_not()


def table_logits(model, pairs, padded, mask):
    model = model.double()
    x = model.embedding(pairs)
    if padded:
        x = torch.cat([x, torch.zeros(len(x), 1, x.size(2), dtype=x.dtype)], dim=1)
    return model.unembedding(model.encoder(x, mask=mask)[:, -1])


def swap_gap(logits_of, n):
    pairs = all_pairs(n)
    return (logits_of(pairs).double() - logits_of(pairs.flip(1)).double()).abs().max()


def order_from_states(states, E):
    states, E = states.double(), E.double()
    n = len(E)
    made = torch.stack(
        [torch.stack([2 * E[i], 1.5 * E[j] + 0.5 * E[i]]) for i in range(n) for j in range(n)]
    )
    both = torch.cat([made, made.flip(1)]).flatten(1)
    best = torch.cdist(states.flatten(1), both).argmin(dim=1) % (n * n)
    return torch.stack([best // n, best % n], dim=1)


def rotate(x, positions, base):
    pairs = torch.view_as_complex(x.double().reshape(len(x), -1, 2))
    speeds = torch.exp(-math.log(base) * torch.arange(pairs.shape[1]).double() / pairs.shape[1])
    angles = positions.double()[:, None] * speeds
    return torch.view_as_real(pairs * torch.polar(torch.ones_like(angles), angles)).flatten(1)


def previous_by_rotation(d):
    k = torch.full((d,), 5.0).double()
    return rotate(k[None], torch.tensor([-1.0]), 10000.0)[0], k


def alibi_bias(heads, T):
    slopes = 2.0 ** (-8.0 * torch.arange(1, heads + 1).double() / heads)
    back = torch.arange(T).double()[:, None] - torch.arange(T).double()
    bias = -slopes.view(-1, 1, 1) * back
    bias[:, back < 0] = float("-inf")
    return bias
