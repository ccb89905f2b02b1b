"""Exponentials divided by their sum, normal numbers from uniform ones, frequencies by least squares."""

import math

import torch


def naive_forward(w, pairs):
    x = w["W_E"][sentences(pairs, len(w["W_E"]) - 1)] + w["W_pos"]
    q, k, v = (torch.tensordot(x, w[name], dims=([2], [2])) for name in ("W_Q", "W_K", "W_V"))
    rows = []
    for t in range(3):  # position t looks at those up to itself, so no mask is needed
        scores = (q[:, t, None] * k[:, : t + 1]).sum(dim=3) / math.sqrt(q.shape[3])
        powers = torch.exp(scores - scores.amax(dim=1, keepdim=True))
        shares = powers / powers.sum(dim=1, keepdim=True)
        mixed = (shares[..., None] * v[:, : t + 1]).sum(dim=1)
        rows.append(x[:, t] + torch.tensordot(mixed, w["W_O"], dims=([1, 2], [0, 2])))
    x = torch.stack(rows, dim=1)
    z = x @ w["W_in"].T
    return (x + (z + z.abs()) / 2 @ w["W_out"].T) @ w["W_U"].T


def fast_forward(w, pairs):
    numbers, end = w["W_E"][:-1], w["W_E"][-1] + w["W_pos"][2]
    query = torch.tensordot(w["W_Q"], end, dims=1) / math.sqrt(w["W_Q"].shape[1])
    direction = (query[:, :, None] * w["W_K"]).sum(dim=1)  # (4, d)
    numerator, denominator = torch.tensordot(w["W_V"], end, dims=1), 1.0
    for place in (0, 1):
        table = numbers + w["W_pos"][place]
        # Beside exp(own score) = 1: all scores are taken relative to that of "=".
        powers = torch.exp((table - end) @ direction.T)
        values = powers[..., None] * torch.tensordot(table, w["W_V"], dims=([1], [2]))
        numerator = numerator + values[pairs[:, place]]
        denominator = denominator + powers[pairs[:, place]]
    mixed = numerator / denominator[..., None]
    x = end + torch.tensordot(mixed, w["W_O"], dims=([1, 2], [0, 2]))
    z = x @ w["W_in"].T
    return (x + (z + z.abs()) / 2 @ w["W_out"].T) @ w["W_U"].T


def initial_weights(p, width, hidden, seed):
    dice, w = torch.Generator().manual_seed(1000 + seed), {}
    for name, shape in weight_shapes(p, width, hidden).items():
        u, v = torch.rand((2, *shape), generator=dice, dtype=torch.float64)
        normal = torch.sqrt(-2 * torch.log(1 - u)) * torch.cos(2 * math.pi * v)  # Box and Muller
        w[name] = normal.div((p + 1 if name == "W_U" else width) ** 0.5).float().requires_grad_()
    return w


def mirror_share(trained, others):
    size = int(torch.cat([trained, others]).max()) + 1
    times = torch.bincount(trained[:, 0] * size + trained[:, 1], minlength=size * size)
    return float((times[others[:, 1] * size + others[:, 0]] > 0).sum()) / others.shape[0]


def fourier_power(E):
    # The power is the spectrum of the products of rows, summed by the gap between them.
    p, products = len(E), E @ E.T
    by_gap = torch.stack([products.roll(-gap, dims=1).trace() for gap in range(p)])
    tokens = torch.arange(p, dtype=E.dtype)
    waves = torch.cos(2 * math.pi * torch.outer(tokens[1 : (p + 1) // 2], tokens) / p)
    power = (waves * by_gap).sum(dim=1)
    return power / power.sum()


def keep_and_remove(E, frequencies):
    turns = torch.arange(len(E), dtype=E.dtype)[:, None] * (2 * math.pi / len(E))
    angles = turns * torch.tensor(frequencies, dtype=E.dtype)
    design = torch.cat([torch.ones_like(turns), angles.cos(), angles.sin()], dim=1)
    fitted = torch.linalg.lstsq(design, E).solution
    kept = design @ fitted
    return kept, E - kept + fitted[0]
