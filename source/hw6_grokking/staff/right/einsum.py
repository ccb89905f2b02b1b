"""All products written with einsum, look-ups too: a token is a one-hot vector."""

import torch
import torch.nn.functional as F


def naive_forward(w, pairs):
    tokens = F.one_hot(sentences(pairs, len(w["W_E"]) - 1), len(w["W_E"])).to(w["W_E"].dtype)
    x = torch.einsum("ntv,vd->ntd", tokens, w["W_E"]) + w["W_pos"]
    q, k, v = (torch.einsum("ntd,hkd->nhtk", x, w[name]) for name in ("W_Q", "W_K", "W_V"))
    scores = torch.einsum("nhik,nhjk->nhij", q, k) * w["W_Q"].shape[1] ** -0.5
    # Multiplied by what is allowed, then normalised: a softmax over what is seen.
    shares = torch.exp(scores - scores.amax(dim=3, keepdim=True)).tril()
    shares = torch.einsum("nhij,nhi->nhij", shares, 1 / shares.sum(dim=3))
    x = x + torch.einsum("hdk,nhij,nhjk->nid", w["W_O"], shares, v)
    neurons = torch.einsum("md,ntd->ntm", w["W_in"], x).relu()
    x = x + torch.einsum("dm,ntm->ntd", w["W_out"], neurons)
    return torch.einsum("vd,ntd->ntv", w["W_U"], x)


def fast_forward(w, pairs):
    p = len(w["W_E"]) - 1
    first, second = F.one_hot(pairs, p).to(w["W_E"].dtype).unbind(dim=1)
    always = first.new_ones(len(pairs), 1)
    equals = w["W_E"][p] + w["W_pos"][2]
    query = torch.einsum("hkd,d->hk", w["W_Q"], equals) * w["W_Q"].shape[1] ** -0.5
    tables = (w["W_E"][:p] + w["W_pos"][0], w["W_E"][:p] + w["W_pos"][1], equals.unsqueeze(0))
    scores, values = [], []
    for which, table in zip((first, second, always), tables):
        keys = torch.einsum("td,hkd->thk", table, w["W_K"])
        scores.append(torch.einsum("nt,th->nh", which, torch.einsum("thk,hk->th", keys, query)))
        carried = torch.einsum("td,hkd->thk", table, w["W_V"])
        values.append(torch.einsum("nt,thk->nhk", which, carried))
    shares = torch.stack(scores, dim=2).softmax(dim=2)
    mixed = sum(torch.einsum("nh,nhk->nhk", shares[..., i], v) for i, v in enumerate(values))
    x = equals + torch.einsum("nhk,hdk->nd", mixed, w["W_O"])
    neurons = torch.einsum("md,nd->nm", w["W_in"], x).relu()
    x = x + torch.einsum("dm,nm->nd", w["W_out"], neurons)
    return torch.einsum("vd,nd->nv", w["W_U"], x)


def mirror_share(trained, others):
    size = int(max(trained.max(), others.max())) + 1
    tables = []
    for pairs in (trained, others):
        first, second = F.one_hot(pairs, size).double().unbind(dim=1)
        tables.append(torch.einsum("na,nb->ab", first, second))
    return torch.einsum("ab,ba->", *tables) / len(others)


def fourier_power(E):
    p = len(E)
    frequencies, tokens = torch.arange(1, (p + 1) // 2), torch.arange(p)
    angles = 2 * torch.pi * torch.einsum("k,a->ka", frequencies, tokens).to(E.dtype) / p
    waves = torch.stack([angles.cos(), angles.sin()])
    found = torch.einsum("wka,aj->wkj", waves, E)
    power = torch.einsum("wkj,wkj->k", found, found)
    return power / power.sum()


def keep_and_remove(E, frequencies):
    p = len(E)
    mean = torch.einsum("aj->j", E) / p
    gaps = torch.arange(p)[:, None] - torch.arange(p)
    projection = torch.zeros(p, p, dtype=E.dtype)
    for k in frequencies:
        projection += 2 / p * torch.cos(2 * torch.pi * k * gaps.to(E.dtype) / p)
    part = torch.einsum("ab,bj->aj", projection, E)
    return part + mean, E - part
