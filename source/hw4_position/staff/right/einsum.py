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


def rotate(x, positions, base):
    d = x.shape[1]
    angles = torch.einsum("t,k->tk", positions, base ** (-2 * torch.arange(d // 2) / d))
    rows = [[angles.cos(), -angles.sin()], [angles.sin(), angles.cos()]]
    turns = torch.stack([torch.stack(row, dim=-1) for row in rows], dim=-2)
    return torch.einsum("tkij,tkj->tki", turns, x.unflatten(1, (d // 2, 2))).flatten(1)


def previous_by_rotation(d):
    q = torch.full((d,), 5)  # whole numbers
    return q, rotate(q[None].float(), torch.ones(1), 10000)[0]


def alibi_bias(heads, T):
    slopes = torch.logspace(-8 / heads, -8, heads, base=2)
    back = torch.arange(T)[None] - torch.arange(T)[:, None]
    return torch.einsum("h,qk->hqk", slopes, back.float()) + torch.where(back > 0, -1e9, 0.0)
