"""Everything in double precision where that is possible."""

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
