"""Heads as a batch of matrices, and one table with a row for each token at each position."""

import torch


def naive_forward(w, pairs):
    count, size = len(pairs), w["W_Q"].shape[1]
    x = (w["W_E"][sentences(pairs, len(w["W_E"]) - 1)] + w["W_pos"]).flatten(0, 1)
    every = x.expand(HEADS, -1, -1)  # (4, 3 N, d)
    q, k, v = (
        torch.bmm(every, w[name].mT).view(HEADS * count, 3, size) for name in ("W_Q", "W_K", "W_V")
    )
    mask = torch.tensor([[0, 1, 1], [0, 0, 1], [0, 0, 0]], dtype=x.dtype) * -1e9
    scores = torch.baddbmm(mask, q, k.mT, alpha=size**-0.5)
    mixed = torch.bmm(scores.softmax(dim=2), v).view(HEADS, 3 * count, size)
    x = x + torch.bmm(mixed, w["W_O"].mT).sum(dim=0)
    x = torch.addmm(x, torch.mm(x, w["W_in"].T).relu(), w["W_out"].T)
    return torch.mm(x, w["W_U"].T).view(count, 3, -1)


def fast_forward(w, pairs):
    count, p, size = len(pairs), len(w["W_E"]) - 1, w["W_Q"].shape[1]
    # Rows 0 to p - 1 are the numbers in front, p to 2 p - 1 those behind, 2 p is "=".
    table = torch.cat([w["W_E"][:p] + w["W_pos"][0], w["W_E"] + w["W_pos"][1]])
    table = torch.cat([table[:-1], w["W_E"][p:] + w["W_pos"][2]])
    rows = torch.stack([pairs[:, 0], pairs[:, 1] + p, torch.full((count,), 2 * p)], dim=1)
    every = table.expand(HEADS, -1, -1)
    query = torch.bmm(every[:, -1:], w["W_Q"].mT)
    scores = torch.bmm(torch.bmm(query, w["W_K"]), every.mT)[:, 0]  # (4, 2 p + 1)
    shares = torch.softmax(scores[:, rows] / size**0.5, dim=2)  # (4, N, 3)
    values = torch.bmm(every, w["W_V"].mT)[:, rows]  # (4, N, 3, size)
    mixed = torch.bmm(shares.view(-1, 1, 3), values.view(-1, 3, size)).view(HEADS, count, size)
    x = table[-1] + torch.bmm(mixed, w["W_O"].mT).sum(dim=0)
    x = torch.addmm(x, torch.mm(x, w["W_in"].T).relu(), w["W_out"].T)
    return torch.mm(x, w["W_U"].T)


def mirror_share(trained, others):
    size = 1 + max(trained.max().item(), others.max().item())
    known = (trained @ torch.tensor([size, 1])).sort().values
    wanted = others @ torch.tensor([1, size])
    places = torch.searchsorted(known, wanted).clamp(max=len(known) - 1)
    return (known[places] == wanted).sum().item() / len(others)


def fourier_power(E):
    spectrum = torch.view_as_real(torch.fft.rfft(E - E.mean(dim=0), dim=0, norm="ortho"))
    power = spectrum.square().sum(dim=(1, 2))
    return (power / power.sum())[1:]


def keep_and_remove(E, frequencies):
    spectrum = torch.fft.rfft(E.T)  # along the last axis
    factors = torch.zeros(spectrum.shape[1])
    factors[[0, *frequencies]] = 1.0
    kept = torch.fft.irfft(spectrum * factors, n=len(E)).T
    return kept, E.mean(dim=0) + (E - kept)
