"""A float mask of minus infinity, and a cross-entropy from log_softmax."""

import torch


def ceiling(M):
    return ((M == M.T).double() + 1).sum() / 2 / M.numel()


def causal_mask(T):
    return torch.full((T, T), float("-inf")).triu(1)


def table_logits(model, pairs, padded, mask):
    x = torch.nn.functional.embedding(pairs, model.embedding.weight)
    if padded:
        x = torch.nn.functional.pad(x, (0, 0, 0, 1), value=0.0)
    return torch.nn.functional.linear(
        model.encoder(x, mask=mask)[:, -1], model.unembedding.weight, model.unembedding.bias
    )


def swap_gap(logits_of, n):
    tokens = torch.arange(n)
    i, j = tokens.repeat_interleave(n), tokens.repeat(n)
    difference = logits_of(torch.stack([i, j], dim=1)) - logits_of(torch.stack([j, i], dim=1))
    return torch.linalg.vector_norm(difference, ord=float("inf"))


def order_from_states(states, E):
    a, b = states.unbind(dim=1)
    to_a, to_b = (torch.cdist(x, 2 * E).min(dim=1) for x in (a, b))
    swap = to_b.values < to_a.values
    first = torch.where(swap, to_b.indices, to_a.indices)
    mixed = torch.where(swap[:, None], a, b)
    second = torch.cdist(2 * mixed - E[first], 3 * E).argmin(dim=1)
    return torch.stack([first, second], dim=-1)


def train_table(logits_of, parameters, M, steps):
    pairs = all_pairs(len(M))
    rows = torch.arange(len(pairs))
    optimizer = torch.optim.Adam(parameters, lr=0.005)
    losses = []
    for _ in range(steps):
        chosen = torch.log_softmax(logits_of(pairs), dim=1)[rows, M.reshape(-1)]
        optimizer.zero_grad()
        (-chosen.mean()).backward()
        optimizer.step()
        losses.append(float(-chosen.mean()))
    return losses


def rotate(x, positions, base):
    u, v = x.unflatten(1, (-1, 2)).unbind(dim=2)
    speeds = base ** (-torch.arange(0, x.shape[1], 2) / x.shape[1])
    angles = positions[:, None] * speeds
    z = torch.complex(u, v) * torch.exp(1j * angles)
    return torch.view_as_real(z).flatten(1).to(x.dtype)


def previous_by_rotation(d):
    q = torch.full((d,), 5.0)
    return q.numpy(), rotate(q[None], torch.tensor([1.0]), 10000)[0].numpy()


def alibi_bias(heads, T):
    mask = torch.full((T, T), float("-inf")).triu(1)
    places = torch.arange(T).float()
    slopes = torch.tensor([2 ** (-8 * (h + 1) / heads) for h in range(heads)])
    return slopes.reshape(heads, 1, 1) * (places - places.reshape(T, 1)) + mask
