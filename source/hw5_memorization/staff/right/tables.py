"""Tables of all tokens, made once and looked up; one-hot rows; frozen gradients are taken away."""

import torch
import torch.nn.functional as F


def power_unif_law(alphas, choices, N):
    laws = []
    for alpha, tokens in zip(alphas, choices):
        ranks = torch.arange(tokens.shape[-1])
        weights = (alpha**ranks / torch.sum(alpha**ranks)).float()
        axes = [torch.arange(size) for size in tokens.shape]
        before = torch.meshgrid(*axes, indexing="ij")
        law = torch.zeros(*tokens.shape[:-1], N)
        laws.append(law.index_put_((*before[:-1], tokens), weights[before[-1]]))
    return laws


def last_position_law(best, beta):
    hot = F.one_hot(best, len(best)).double()
    return hot * beta + (1 - hot) * ((1 - beta) / (len(best) - 1))


def gen_d_law(E, U):
    scores = E @ U.T
    scores = scores - scores[torch.arange(len(E)), scores.argmax(dim=1)][:, None]
    table = scores.exp()
    return table / (table @ torch.ones(len(U), 1, dtype=table.dtype))


def entropy(laws):
    # The uniform law's entropy less the divergence from it.
    N = len(laws[0])
    even = torch.full_like(laws[2], 1 / N).log()
    apart = F.kl_div(even, laws[2], reduction="none").sum(dim=2)
    return even[0, 0, 0].neg() - laws[0] @ (laws[1] * apart).sum(dim=1)


def first_share(scores):
    return torch.tanh((scores[..., 0] - scores[..., 1]) / 2).add(1).div(2)


def attention_only(w, contexts, skips=()):
    N, d = w["W_E"].shape
    streams = {}
    for part in ("QK", "OV"):
        emb, pos = (float(f"{kind}_{part}" not in skips) for kind in ("emb", "pos"))
        streams[part] = (
            emb * w["W_E"] + pos * w["W_pos"][:, None]
        )  # (2, N, d): each token at each place
    asked = streams["QK"][1] @ w["W_Q"].mT / w["W_Q"].shape[1] ** 0.5  # (H, N, k)
    first, second = (streams["QK"][place] @ w["W_K"].mT for place in (0, 1))
    own = (asked * second).sum(dim=2, keepdim=True)
    switch = torch.sigmoid((asked @ first.mT - own).mT)  # (H, N, N): first token, second token
    moved = streams["OV"][:, None] @ w["W_V"].mT @ w["W_O"].mT @ w["W_U"].T  # (2, H, N, N)
    i, j = F.one_hot(contexts, N).to(moved.dtype).unbind(dim=1)
    share = ((i @ switch) * j).sum(dim=2, keepdim=True)  # (H, n, 1)
    logits = (share * (i @ moved[0]) + (1 - share) * (j @ moved[1])).sum(dim=0)
    if "residual" not in skips:
        logits = logits + j @ ((w["W_E"] + w["W_pos"][1]) @ w["W_U"].T)
    return logits


def head_logits(w, contexts):
    N = len(w["W_E"])
    every = torch.cartesian_prod(torch.arange(N), torch.arange(N))
    x = w["W_E"][every] + w["W_pos"]
    scores = (x[None] @ w["W_K"].mT[:, None] @ (x[:, 1] @ w["W_Q"].mT)[..., None]).squeeze(-1)
    shares = (scores / w["W_Q"].shape[1] ** 0.5).softmax(dim=-1)  # (H, N N, 2)
    mixed = (shares[..., None] * x).sum(dim=2)
    table = (mixed @ w["W_V"].mT @ w["W_O"].mT @ w["W_U"].T).unflatten(1, (N, N))
    i, j = contexts[:, 0], contexts[:, 1]
    return table[:, i, j].movedim(0, 1), ((w["W_E"] + w["W_pos"][1]) @ w["W_U"].T)[j]


def two_losses(logits, law, tokens):
    hot = F.one_hot(tokens, logits.shape[1]).to(law.dtype)
    logs = F.log_softmax(logits, dim=1)

    def divergence(wanted):  # the next token's loss is that from a certain law
        return (torch.xlogy(wanted, wanted) - wanted * logs).sum() / len(logs)

    return divergence(law), divergence(hot)


def train(w, names, contexts, law, steps):
    optimizer = torch.optim.Adam(w.values(), lr=1e-2)
    losses = []
    for _ in range(steps):
        optimizer.zero_grad(set_to_none=True)
        loss, _ = two_losses(attention_only(w, contexts), law, contexts[:, 0])
        loss.backward()
        for name in w.keys() - set(names):
            w[name].grad = None
        optimizer.step()
        losses.append(loss.detach())
    return losses


def train_uneven(w, contexts, law, chances, steps, skips=()):
    optimizer = torch.optim.Adam(w.values(), lr=1e-2)
    losses = torch.zeros(steps)
    for step in range(steps):
        optimizer.zero_grad(set_to_none=True)
        logs = torch.log_softmax(attention_only(w, contexts, skips=skips), -1)
        loss = chances.dot((torch.xlogy(law, law) - law * logs).sum(-1))
        loss.backward()
        optimizer.step()
        losses[step] = loss.detach()
    return losses


def gauge(A, B):
    A, B = (X - X.mean(dim=0) for X in (A, B))
    # What of each basis lies outside the other space: sines, once from either side.
    a, b = (torch.linalg.svd(X, full_matrices=False)[0] for X in (A, B))
    outside = [a - b @ (b.T @ a), b - a @ (a.T @ b)]
    return torch.linalg.norm(torch.cat(outside, dim=1))


def attention_maps(w):
    streams = w["W_E"] + w["W_pos"][:, None]
    asked = streams[1] @ w["W_Q"].mT / w["W_Q"].shape[1] ** 0.5
    first, second = (x @ w["W_K"].mT for x in streams)
    maps = (first @ asked.mT).sub((asked * second).sum(dim=2)[:, None])
    maps = torch.tanh(maps / 2).add(1).div(2)
    return maps, torch.linalg.svdvals(maps.mT)


def promoted(parts, tokens):
    N = parts.shape[2]
    hot = F.one_hot(tokens, N).to(parts.dtype)
    means = torch.tensordot(hot / hot.sum(dim=0).clamp(min=1), parts, dims=([0], [0]))
    votes = (means > means.mean(dim=2, keepdim=True)).long().sum(dim=1)
    return votes.eq(parts.shape[1]).long()


def superposition(E, U, tokens):
    N = len(U)
    centre = torch.eye(N, dtype=U.dtype) - torch.full((N, N), 1 / N, dtype=U.dtype)
    gram = centre @ (U @ U.T) @ centre
    roots = gram.diagonal().sqrt()
    hot = F.one_hot(tokens, N).to(U.dtype)
    own = (hot @ centre @ U * E).sum(dim=1) / (hot @ roots) / E.norm(dim=1)
    return gram, gram / torch.outer(roots, roots), own


def second_order(law, U):
    pairs = (U[:, :, None] * U[:, None]).flatten(1)  # (N, d d): the products of each row
    mean, logs = law @ U, law * law.log()
    variance = (law @ pairs).unflatten(1, (U.shape[1],) * 2) - mean[:, :, None] * mean[:, None]
    covariance = logs @ U - logs.sum(dim=1)[:, None] * mean
    return torch.linalg.solve(variance, covariance[:, :, None])[:, :, 0]


def principal(law, d):
    logs = law.log()
    table = logs - (logs @ torch.ones_like(logs.T) / logs.shape[1])[:, :1]
    return torch.linalg.eigh(table.T @ table).eigenvectors[:, -d:].flip(1)
