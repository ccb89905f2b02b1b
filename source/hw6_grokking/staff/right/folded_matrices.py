"""Products of weights are made first: scores, heads, neurons' inputs and logits are tables."""

import torch
import torch.nn.functional as F


def naive_forward(w, pairs):
    x = w["W_E"][sentences(pairs, len(w["W_E"]) - 1)] + w["W_pos"]
    looks = w["W_Q"].mT @ w["W_K"] / w["W_Q"].shape[1] ** 0.5  # (4, d, d)
    carries = w["W_O"] @ w["W_V"]
    scores = x[:, None] @ looks @ x[:, None].mT  # (N, 4, 3, 3)
    scores = torch.where(torch.ones(3, 3).tril() > 0, scores, -torch.inf)
    x = x + (scores.softmax(dim=3) @ (x[:, None] @ carries.mT)).sum(dim=1)
    return x @ w["W_U"].T + (x @ w["W_in"].T).relu() @ (w["W_U"] @ w["W_out"]).T


def fast_forward(w, pairs):
    count, p = len(pairs), len(w["W_E"]) - 1
    end = w["W_E"][p] + w["W_pos"][2]
    places = torch.cat([w["W_E"][:p] + w["W_pos"][0], w["W_E"][:p] + w["W_pos"][1], end[None]])
    rows = torch.stack([pairs[:, 0], pairs[:, 1] + p, torch.full((count,), 2 * p)], dim=1)
    looks = w["W_Q"].mT @ w["W_K"] / w["W_Q"].shape[1] ** 0.5
    shares = (places @ (end @ looks).T)[rows].softmax(dim=1)  # (N, 3, 4)
    # What each place gives, through each head, to every neuron and to every logit.
    reads = torch.cat([w["W_in"], w["W_U"]])
    gives = places @ (w["W_O"] @ w["W_V"]).mT @ reads.T  # (4, 2 p + 1, m + p + 1)
    entries = rows[:, :, None] + len(places) * torch.arange(HEADS)
    given = F.embedding_bag(
        entries.flatten(1), gives.flatten(0, 1), per_sample_weights=shares.flatten(1), mode="sum"
    )
    neurons, direct = (given + reads @ end).tensor_split([len(w["W_in"])], dim=1)
    return direct + neurons.relu() @ (w["W_U"] @ w["W_out"]).T


def initial_weights(p, width, hidden, seed):
    shapes = weight_shapes(p, width, hidden)
    sizes = [torch.Size(shape).numel() for shape in shapes.values()]
    every = torch.randn(sum(sizes), generator=torch.Generator().manual_seed(seed))
    w = {}
    for (name, shape), part in zip(shapes.items(), every.split(sizes)):
        root = (p + 1) ** 0.5 if name == "W_U" else width**0.5
        w[name] = (part.reshape(shape) / root).detach().requires_grad_(True)
    return w


def mirror_share(trained, others):
    same = others[:, None, :] == trained[None, :, [1, 0]]
    return same.all(dim=2).any(dim=1).sum() / len(others)


def fourier_power(E):
    # An orthonormal basis: the constant, then cosine and sine of each frequency.
    angles = torch.outer(torch.arange(1, len(E) // 2 + 1), torch.arange(len(E))).to(E.dtype)
    angles = angles * (2 * torch.pi / len(E))
    basis = torch.stack([angles.cos(), angles.sin()], dim=1) * (2 / len(E)) ** 0.5
    power = (basis.flatten(0, 1) @ E).pow(2).sum(dim=1).view(-1, 2).sum(dim=1)
    return power / power.sum()


def keep_and_remove(E, frequencies):
    angles = torch.outer(torch.tensor(frequencies, dtype=E.dtype), torch.arange(len(E)).to(E))
    angles = angles * (2 * torch.pi / len(E))
    basis = torch.cat([angles.cos(), angles.sin()]) * (2 / len(E)) ** 0.5
    inside, constant = basis.T @ basis, torch.full((len(E),) * 2, 1 / len(E)).to(E)
    return (constant + inside) @ E, (torch.eye(len(E)).to(E) - inside) @ E
