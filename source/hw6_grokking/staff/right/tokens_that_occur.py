"""Tables of those tokens only that occur; gradients from torch.autograd.grad; complex matrices."""

import torch


def naive_forward(w, pairs):
    width = w["W_E"].shape[1]
    x = w["W_E"].index_select(0, sentences(pairs, len(w["W_E"]) - 1).flatten()).view(-1, 3, width)
    x = x + w["W_pos"].unsqueeze(0)
    q, k, v = (
        (x @ w[name].reshape(width, width).T).unflatten(2, (HEADS, -1)).transpose(1, 2)
        for name in ("W_Q", "W_K", "W_V")
    )
    place = torch.arange(3)
    scores = torch.where(
        place[:, None] >= place, q @ k.transpose(2, 3) / (width / HEADS) ** 0.5, -1e30
    )
    mixed = (torch.softmax(scores, dim=-1) @ v).transpose(1, 2).reshape(-1, 3, width)
    x = x + mixed @ w["W_O"].transpose(1, 2).reshape(width, width)
    x = x + torch.nn.functional.relu(x @ w["W_in"].T) @ w["W_out"].T
    return x @ w["W_U"].T


def fast_forward(w, pairs):
    width = w["W_E"].shape[1]
    W_Q, W_K, W_V = (w[name].reshape(width, width) for name in ("W_Q", "W_K", "W_V"))
    equals = w["W_E"][-1:] + w["W_pos"][2:]
    query = (equals @ W_Q.T).view(HEADS, -1) / (width / HEADS) ** 0.5
    weights, values = [], []
    for tokens, position in ((pairs[:, 0], 0), (pairs[:, 1], 1), (None, 2)):
        if tokens is None:
            table, where = equals, torch.zeros(len(pairs), dtype=torch.long)
        else:
            occurring, where = torch.unique(tokens, return_inverse=True)
            table = w["W_E"].index_select(0, occurring) + w["W_pos"][position]
        keys = (table @ W_K.T).unflatten(1, (HEADS, -1))
        weights.append(torch.linalg.vecdot(keys, query).index_select(0, where))
        values.append((table @ W_V.T).unflatten(1, (HEADS, -1)).index_select(0, where))
    shares = torch.softmax(torch.stack(weights, dim=-1), dim=-1)
    mixed = torch.stack(values, dim=-1).mul(shares.unsqueeze(2)).sum(dim=-1).reshape(-1, width)
    x = equals + mixed @ w["W_O"].transpose(1, 2).reshape(width, width)
    x = x + torch.nn.functional.relu(x @ w["W_in"].T) @ w["W_out"].T
    return x @ w["W_U"].T


def one_epoch(w, optimizer, pairs):
    mixed = pairs[torch.randperm(len(pairs))]
    chances = torch.log_softmax(fast_forward(w, mixed), dim=1, dtype=torch.float64)
    sums = mixed.sum(dim=1, keepdim=True) % (len(w["W_E"]) - 1)
    loss = -chances.gather(1, sums).mean()
    for item, gradient in zip(w.values(), torch.autograd.grad(loss, list(w.values()))):
        item.grad = gradient
    optimizer.step()
    return loss.item()


def mirror_share(trained, others):
    mirrored = {(b, a) for a, b in trained.tolist()}
    return len(mirrored & {(a, b) for a, b in others.tolist()}) / len(others)


def fourier_power(E):
    p = len(E)
    tokens = torch.arange(p, dtype=torch.float64)
    transform = torch.exp(-2j * torch.pi * tokens[1 : (p + 1) // 2, None] * tokens / p)
    found = transform @ E.to(transform.dtype)
    power = (found * found.conj()).real.sum(dim=1)
    return power / power.sum()


def keep_and_remove(E, frequencies):
    p = len(E)
    signed = torch.tensor([0, *frequencies, *(p - k for k in frequencies)], dtype=torch.float64)
    waves = torch.exp(2j * torch.pi * torch.arange(p)[:, None] * signed / p) / p**0.5
    coefficients = waves.conj().T @ E.to(waves.dtype)
    kept = (waves @ coefficients).real
    return kept, E - (waves[:, 1:] @ coefficients[1:]).real
