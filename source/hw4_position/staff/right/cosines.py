"""States are compared by their directions."""

import torch


def ceiling(M):
    n = M.shape[0]
    strictly = torch.tril_indices(n, n, -1)
    ties = (M[strictly[0], strictly[1]] == M[strictly[1], strictly[0]]).sum().item()
    return (n + strictly.shape[1] + ties) / n**2


def causal_mask(T):
    rows, columns = torch.meshgrid(torch.arange(T), torch.arange(T), indexing="ij")
    return torch.where(columns > rows, float("-inf"), 0.0)


def table_logits(model, pairs, padded, mask):
    first, second = model.embedding(pairs[:, 0]), model.embedding(pairs[:, 1])
    x = torch.stack([first, second], dim=1)
    if padded:
        x = torch.cat([x, torch.zeros_like(first).unsqueeze(1)], dim=1)
    return model.unembedding(model.encoder(x, mask=mask).select(1, -1))


def swap_gap(logits_of, n):
    gap = torch.tensor(0.0)
    for token in range(n):
        others = torch.arange(n)
        row = torch.stack([torch.full((n,), token), others], dim=1)
        gap = torch.maximum(gap, (logits_of(row) - logits_of(row.flip(1))).abs().max())
    return gap


def order_from_states(states, E):
    likeness = torch.cosine_similarity(states[:, :, None], E, dim=3)  # (N, 2, n)
    place = likeness.amax(dim=2).argmax(dim=1, keepdim=True)
    first = likeness.argmax(dim=2).gather(1, place)[:, 0]
    mixed = states.sum(dim=1) - 2 * E[first]
    second = torch.cosine_similarity((mixed - E[first] / 2)[:, None], E, dim=2).argmax(dim=1)
    return torch.stack([first, second], dim=1)


def rotate(x, positions, base):
    d = x.shape[1]
    out = torch.zeros_like(x)
    for k in range(d // 2):
        angle = positions * base ** (-2 * k / d)
        pair = x[:, 2 * k : 2 * k + 2]
        turned = torch.stack([-pair[:, 1], pair[:, 0]], dim=1)
        out[:, 2 * k : 2 * k + 2] = angle.cos()[:, None] * pair + angle.sin()[:, None] * turned
    return out


def previous_by_rotation(d):
    k = torch.full([d], 5.0)
    q = rotate(k.unsqueeze(0), torch.tensor([-1.0]), 10000)
    return q.squeeze(0), k


def alibi_bias(heads, T):
    later = torch.ones(T, T).triu(1).bool()
    back = torch.ones(T, T).tril().cumsum(dim=0).tril() - 1
    slopes = torch.exp2(-8 * torch.arange(1, heads + 1) / heads)
    bias = -(slopes[:, None, None] * back)
    bias[:, later] = -torch.inf
    return bias
