"""Chances as logarithms until the end."""

import math

import torch


def power_unif_law(alphas, choices, N):
    laws = []
    for alpha, tokens in zip(alphas, choices):
        logs = (torch.arange(tokens.shape[-1]) * math.log(alpha)).log_softmax(dim=0)
        table = torch.full((*tokens.shape[:-1], N), -torch.inf)
        laws.append(table.scatter(-1, tokens, logs.expand(tokens.shape)).exp())
    return laws


def last_position_law(best, beta):
    N = len(best)
    rest = math.log1p(-beta) - math.log(N - 1) if beta < 1 else -math.inf
    logs = torch.full((N, N, N), rest, dtype=torch.float64)
    logs.scatter_(2, best[:, :, None], math.log(beta))
    return logs.exp()


def gen_d_law(E, U):
    scores = E.matmul(U.t())
    return torch.exp(scores - torch.logsumexp(scores, dim=1, keepdim=True))


def entropy(laws):
    tables = torch.distributions.Categorical(probs=laws[2]).entropy()
    logs = laws[0].log()[:, None] + laws[1].log()
    return (logs.exp() * tables).sum()


def first_share(scores):
    one, other = scores.unbind(dim=-1)
    return torch.exp(one - torch.logaddexp(one, other))


def attention_only(w, contexts, skips=()):
    first, second = contexts.T
    tokens = torch.stack([w["W_E"][first], w["W_E"][second]])  # (2, n, d)
    places = w["W_pos"].unsqueeze(1).expand_as(tokens)
    inputs = {}
    for part in ("QK", "OV"):
        terms = {f"emb_{part}": tokens, f"pos_{part}": places}
        inputs[part] = sum(
            (item for name, item in terms.items() if name not in skips), torch.zeros_like(tokens)
        )
    asked = inputs["QK"][1] @ w["W_Q"].transpose(1, 2)  # (H, n, k)
    scores = ((inputs["QK"][:, None] @ w["W_K"].transpose(1, 2)) * asked).sum(dim=-1)
    scores = scores / math.sqrt(asked.shape[-1])  # (2, H, n)
    shares = torch.exp(scores - scores.logsumexp(dim=0))
    values = inputs["OV"][:, None] @ w["W_V"].transpose(1, 2)  # (2, H, n, k)
    heads = (shares[..., None] * values).sum(dim=0) @ w["W_O"].transpose(1, 2)
    stream = heads.sum(dim=0)
    if "residual" not in skips:
        stream = stream + tokens[1] + places[1]
    return stream @ w["W_U"].t()


def head_logits(w, contexts):
    x = (w["W_E"][contexts] + w["W_pos"]).transpose(0, 1).unsqueeze(1)  # (2, 1, n, d)
    keys, values = (x @ w[name].transpose(1, 2) for name in ("W_K", "W_V"))
    query = x[1] @ w["W_Q"].transpose(1, 2)
    scores = (keys * query).sum(-1) / math.sqrt(query.shape[-1])
    one, other = torch.nn.functional.logsigmoid(
        torch.stack([-scores.diff(dim=0), scores.diff(dim=0)])
    )
    mixed = one.exp()[0, ..., None] * values[0] + other.exp()[0, ..., None] * values[1]
    parts = mixed @ w["W_O"].transpose(1, 2) @ w["W_U"].t()
    return parts.transpose(0, 1), (x[1, 0] @ w["W_U"].t())


def two_losses(logits, law, tokens):
    normaliser = logits.logsumexp(dim=1)
    likely = (law * logits).sum(dim=1) - normaliser * law.sum(dim=1)
    known = (law.clamp(min=1e-300 if law.dtype == torch.float64 else 1e-38).log() * law).sum(dim=1)
    chosen = logits.gather(1, tokens[:, None])[:, 0] - normaliser
    return torch.mean(known - likely), chosen.neg().mean()


def gauge(A, B):
    projectors = []
    for X in (A, B):
        X = X - X.mean(dim=0, keepdim=True)
        _, vectors = torch.linalg.eigh(X @ X.T)  # the largest come last
        basis = vectors[:, -X.shape[1] :]
        projectors.append(basis @ basis.T)
    return torch.dist(*projectors)


def attention_maps(w):
    x = (w["W_E"] + w["W_pos"].unsqueeze(1)).unsqueeze(1)  # (2, 1, N, d)
    query = x[1] @ w["W_Q"].transpose(1, 2) / math.sqrt(w["W_Q"].shape[1])
    first, second = x @ w["W_K"].transpose(1, 2)  # (H, N, k)
    scores = first @ query.transpose(1, 2)
    own = (second * query).sum(dim=-1).unsqueeze(1)
    maps = torch.exp(scores - torch.logaddexp(scores, own))
    products = maps @ maps.transpose(1, 2)
    return maps, torch.linalg.eigvalsh(products).flip(1).clamp(min=0).sqrt()


def promoted(parts, tokens):
    # Log-probabilities of each head alone: their mean over the tokens is still the mean.
    N = parts.shape[2]
    logs = parts.log_softmax(dim=2)
    logs = logs - logs.mean(dim=2, keepdim=True)
    rows = [logs[tokens == k].sum(dim=0).min(dim=0).values > 0 for k in range(N)]
    return torch.stack(rows)


def superposition(E, U, tokens):
    rows = U - U.mean(dim=0)
    shrink = torch.exp(-rows.square().sum(dim=1).log() / 2)
    gram = rows @ rows.t()
    own = (E * rows[tokens]).sum(dim=1) * shrink[tokens]
    own = own * torch.exp(-E.square().sum(dim=1).log() / 2)
    return gram, gram * shrink * shrink[:, None], own


def second_order(law, U):
    # One step of Newton from where all errors are zero: the softmax is the law itself there.
    logs = law.log()
    mean = law @ U
    curvature = (
        torch.stack([U.T @ torch.diag(p) @ U for p in law]) - mean[:, :, None] * mean[:, None]
    )
    entropy = -(law * logs).sum(dim=1, keepdim=True)
    slope = ((logs + entropy) * law) @ U
    return torch.cholesky_solve(slope[..., None], torch.linalg.cholesky(curvature))[..., 0]


def principal(law, d):
    logs = law.log()
    logs = logs - logs.logsumexp(dim=1, keepdim=True)
    logs = logs - logs.sum(dim=1, keepdim=True) / logs.shape[1]
    return torch.linalg.eigh(logs.t() @ logs)[1].flip(1)[:, :d]
