"""A loop over the heads and one over the frequencies; cosines in single precision; gradients of parts added up."""

import math

import torch


def naive_forward(w, pairs):
    x = w["W_E"][sentences(pairs, len(w["W_E"]) - 1)] + w["W_pos"]
    unseen = torch.full((3, 3), -math.inf, dtype=x.dtype).triu(1)
    written = torch.zeros_like(x)
    for head in range(HEADS):
        q, k, v = (x @ w[f"W_{kind}"][head].T for kind in "QKV")
        scores = q @ k.transpose(1, 2) / q.shape[2] ** 0.5 + unseen
        written = written + torch.softmax(scores, dim=2) @ v @ w["W_O"][head].T
    x = x + written
    return (x + torch.relu(x @ w["W_in"].T) @ w["W_out"].T) @ w["W_U"].T


def fast_forward(w, pairs):
    p = len(w["W_E"]) - 1
    a, b = pairs[:, 0], pairs[:, 1]
    end = w["W_E"][p] + w["W_pos"][2]
    first, second = w["W_E"][:p] + w["W_pos"][0], w["W_E"][:p] + w["W_pos"][1]
    x = end
    for W_Q, W_K, W_V, W_O in zip(w["W_Q"], w["W_K"], w["W_V"], w["W_O"]):
        direction = (W_Q @ end) @ W_K / len(W_Q) ** 0.5
        own = (end @ direction).expand(len(pairs))
        shares = torch.stack([(first @ direction)[a], (second @ direction)[b], own]).softmax(dim=0)
        x = x + shares[0, :, None] * (first @ W_V.T @ W_O.T)[a]
        x = x + shares[1, :, None] * (second @ W_V.T @ W_O.T)[b]
        x = x + shares[2, :, None] * (W_O @ (W_V @ end))
    return (x + torch.relu(x @ w["W_in"].T) @ w["W_out"].T) @ w["W_U"].T


def one_epoch(w, optimizer, pairs):
    optimizer.zero_grad()
    total, p = 0.0, len(w["W_E"]) - 1
    for part in pairs.chunk(3):
        logits = fast_forward(w, part).double()
        right = logits[torch.arange(len(part)), part.sum(dim=1) % p]
        loss = (torch.logsumexp(logits, dim=1) - right).sum() / len(pairs)
        loss.backward()
        total += loss.item()
    optimizer.step()
    return total


def mirror_share(trained, others):
    known, count = trained.tolist(), 0
    for a, b in others.tolist():
        if [b, a] in known:
            count += 1
    return count / len(others)


def fourier_power(E):
    p = len(E)
    powers = []
    for k in range(1, (p - 1) // 2 + 1):
        angles = 2 * math.pi * k * torch.arange(p) / p
        with_cosine = (torch.cos(angles)[:, None] * E).sum(dim=0)
        with_sine = (torch.sin(angles)[:, None] * E).sum(dim=0)
        powers.append(float((with_cosine**2 + with_sine**2).sum()))
    return torch.tensor(powers) / sum(powers)


def keep_and_remove(E, frequencies):
    p, mean = len(E), E.mean(dim=0)
    kept, removed = mean.repeat(p, 1), E.clone()
    for k in frequencies:
        angles = 2 * math.pi * k * torch.arange(p) / p
        for wave in (torch.cos(angles)[:, None], torch.sin(angles)[:, None]):
            part = 2 / p * wave * (wave * E).sum(dim=0)
            kept += part
            removed -= part
    return kept, removed
