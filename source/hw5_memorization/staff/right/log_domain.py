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
