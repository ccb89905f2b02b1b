"""Attention is computed for the whole table of p times p pairs, of which the asked ones are taken."""

import math

import torch


def naive_forward(w, pairs):
    p = len(w["W_E"]) - 1
    every = torch.stack(torch.meshgrid(*[torch.arange(p)] * 2, indexing="ij"), dim=2).view(-1, 2)
    x = w["W_E"][sentences(every, p)] + w["W_pos"]
    shape = (*x.shape[:2], HEADS, -1)
    q, k, v = ((x @ w[f"W_{kind}"].flatten(0, 1).T).view(shape) for kind in "QKV")
    scores = torch.einsum("nihk,njhk->nijh", q, k).div(math.sqrt(q.shape[-1]))
    scores[:, [0, 0, 1], [1, 2, 2]] = -math.inf
    mixed = torch.einsum("nijh,njhk->nihk", scores.softmax(dim=2), v)
    x = x + mixed.flatten(2) @ w["W_O"].transpose(0, 1).flatten(1).T
    x = x + torch.nn.functional.relu(x @ w["W_in"].T) @ w["W_out"].T
    return (x @ w["W_U"].T).view(p, p, 3, -1)[pairs[:, 0], pairs[:, 1]]


def fast_forward(w, pairs):
    p, width = len(w["W_E"]) - 1, w["W_E"].shape[1]
    end = w["W_E"][p] + w["W_pos"][2]
    places = w["W_E"][:p] + w["W_pos"][0], w["W_E"][:p] + w["W_pos"][1], end[None]
    query = torch.einsum("hkd,d->hk", w["W_Q"], end) * math.sqrt(HEADS / width)
    scores = [torch.einsum("td,hkd,hk->th", place, w["W_K"], query) for place in places]
    grid = torch.broadcast_tensors(scores[0][:, None], scores[1][None], scores[2][None])
    first, second, own = torch.stack(grid).softmax(dim=0)  # each (p, p, 4)
    values = [torch.einsum("td,hkd,hek->hte", place, w["W_V"], w["W_O"]) for place in places]
    table = torch.einsum("abh,had->abd", first, values[0])
    table = table + torch.einsum("abh,hbd->abd", second, values[1])
    table = end + table + own @ values[2][:, 0]
    x = table.flatten(0, 1)[pairs[:, 0] * p + pairs[:, 1]]
    x = x + torch.nn.functional.relu(x @ w["W_in"].T) @ w["W_out"].T
    return x @ w["W_U"].T


def mirror_share(trained, others):
    size = 1 + int(torch.maximum(trained.max(), others.max()))
    known = torch.zeros(size, size, dtype=torch.bool)
    known[trained[:, 1], trained[:, 0]] = True
    return known[others[:, 0], others[:, 1]].float().mean()


def fourier_power(E):
    every = torch.fft.fft(E.T, norm="forward").abs().square().mean(dim=0)
    every[0] = 0
    both = every / every.sum()  # a frequency stands there twice, as k and as p - k
    return (both + both.flip(0).roll(1))[1 : (len(E) + 1) // 2]


def keep_and_remove(E, frequencies):
    spectrum = torch.fft.rfft(E, dim=0, norm="ortho")
    kept = torch.zeros_like(spectrum)
    rows = torch.tensor([0, *frequencies])
    kept.index_copy_(0, rows, spectrum[rows])
    rest = spectrum.index_fill(0, rows[1:], 0)
    return [torch.fft.irfft(part, n=len(E), dim=0, norm="ortho") for part in (kept, rest)]
