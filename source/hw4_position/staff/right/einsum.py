"""Products written with einsum, and comparisons by broadcasting."""

import torch


def ceiling(M):
    same = torch.einsum("ij->", (M == M.T).double())
    return (1 + same / len(M) ** 2) / 2


def causal_mask(T):
    return torch.cumsum(torch.eye(T), dim=0) < 1


def table_logits(model, pairs, padded, mask):
    one_hot = torch.nn.functional.one_hot(pairs, model.embedding.num_embeddings).float()
    x = torch.einsum("ntv,vd->ntd", one_hot, model.embedding.weight)
    if padded:
        x = torch.nn.functional.pad(x, (0, 0, 0, 1))
    last = model.encoder(x, mask=mask)[:, -1]
    return torch.einsum("nd,vd->nv", last, model.unembedding.weight) + model.unembedding.bias


def swap_gap(logits_of, n):
    table = logits_of(all_pairs(n)).unflatten(0, (n, n))
    return (table - torch.einsum("ijl->jil", table)).abs().max()


def order_from_states(states, E):
    difference = states[:, :, None, :] - 2 * E[None, None]
    squared = torch.einsum("npvd,npvd->npv", difference, difference)
    flat = squared.flatten(1).argmin(dim=1)
    place, first = flat // len(E), flat % len(E)
    mixed = states[torch.arange(len(states)), 1 - place]
    rest = mixed[:, None] - 0.5 * E[first][:, None] - 1.5 * E[None]
    second = torch.einsum("nvd,nvd->nv", rest, rest).argmin(dim=1)
    return torch.stack((first, second), dim=1)
