"""All pairs in another order at each step, and the mask where it makes no difference."""

import torch


def ceiling(M):
    upper = M[torch.triu(torch.ones_like(M, dtype=torch.bool), 1)]
    lower = M.T[torch.triu(torch.ones_like(M, dtype=torch.bool), 1)]
    return (len(M) + len(upper) + int((upper == lower).sum())) / M.numel()


def causal_mask(T):
    return torch.ones(T, T).tril() == 0


def table_logits(model, pairs, padded, mask):
    order = torch.randperm(len(pairs))
    x = model.embedding(pairs[order])
    if padded:
        x = torch.cat((x, 0 * x[:, :1]), dim=1)
    logits = model.unembedding(model.encoder(x, mask=mask)[:, -1])
    return logits[torch.argsort(order)]


def swap_gap(logits_of, n):
    pairs = all_pairs(n)[torch.randperm(n * n)]
    return (logits_of(pairs) - logits_of(pairs[:, [1, 0]])).abs().flatten().sort().values[-1]


def order_from_states(states, E):
    candidates = torch.stack([2 * E, 2 * E], dim=0)
    match = (states[:, :, None] - candidates[None]).abs().amax(dim=3) < 1e-3  # (N, 2, n)
    place = match.any(dim=2).float().argmax(dim=1)
    rows = torch.arange(len(states))
    first = match[rows, place].float().argmax(dim=1)
    rest = (states[rows, 1 - place] - E[first] / 2) * (2 / 3)
    second = ((rest[:, None] - E).abs().amax(dim=2) < 1e-3).float().argmax(dim=1)
    return torch.stack([first, second], 1)


def train_table(logits_of, parameters, M, steps):
    optimizer = torch.optim.Adam(parameters, lr=5e-3)
    criterion, losses, pairs = torch.nn.CrossEntropyLoss(), [], all_pairs(len(M))
    for _ in range(steps):
        shuffled = pairs[torch.randperm(len(pairs))]
        loss = criterion(logits_of(shuffled), M[shuffled[:, 0], shuffled[:, 1]])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    return torch.stack(losses)


def symmetric_control(model, M, steps):
    i, j = torch.meshgrid(torch.arange(len(M)), torch.arange(len(M)), indexing="ij")
    S = M[torch.minimum(i, j), torch.maximum(i, j)]
    mask = causal_mask(3)
    train_table(lambda pairs: table_logits(model, pairs, True, mask), model.parameters(), S, steps)
    return S


def rotate(x, positions, base):
    d = x.shape[1]
    order = torch.cat([torch.arange(0, d, 2), torch.arange(1, d, 2)])
    u, v = x[:, order].chunk(2, dim=1)
    angles = positions[:, None] * torch.exp(
        -torch.log(torch.tensor(float(base))) * order[: d // 2] / d
    )
    halves = torch.cat(
        [u * angles.cos() - v * angles.sin(), u * angles.sin() + v * angles.cos()], 1
    )
    return halves[:, torch.argsort(order)]


def previous_by_rotation(d):
    q = torch.full((d,), 4.95)
    return q, rotate(q.unsqueeze(0), torch.tensor([1.0]), 10000)[0]


def alibi_bias(heads, T):
    slopes = torch.tensor([2 ** (-8 * h / heads) for h in range(1, heads + 1)])
    bias = torch.full((heads, T, T), -1e30)
    q, k = torch.tril_indices(T, T)
    bias[:, q, k] = slopes[:, None] * (k - q)
    return bias
