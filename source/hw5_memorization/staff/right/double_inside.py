"""Everything in double precision; the logits are the sum of their parts."""

import torch
import torch.nn.functional as F


def power_unif_law(alphas, choices, N):
    laws = []
    for alpha, tokens in zip(alphas, choices):
        ranks = torch.arange(tokens.shape[-1], dtype=torch.float64).expand(tokens.shape)
        law = torch.zeros(tokens.shape[:-1] + (N,), dtype=torch.float64)
        law.scatter_(-1, tokens, torch.tensor(alpha, dtype=torch.float64) ** ranks)
        laws.append(F.normalize(law, p=1, dim=-1))
    return laws


def last_position_law(best, beta):
    N = len(best)
    law = torch.ones(N, N, N, dtype=torch.float64).scatter(-1, best.unsqueeze(-1), 0)
    law *= (1 - beta) / law.sum(dim=-1, keepdim=True)
    return law.scatter_add(-1, best[..., None], torch.full((N, N, 1), beta, dtype=torch.float64))


def gen_d_law(E, U):
    return F.softmax(F.linear(E.double(), U.double()), dim=1)


def entropy(laws):
    first, second, third = (law.double() for law in laws)
    of_contexts = first.unsqueeze(1).mul(second)
    return of_contexts.mul((third * -third.log()).nansum(dim=2)).sum().item()


def first_share(scores):
    scores = scores.double()
    return 1 / (1 + torch.exp(scores[..., 1] - scores[..., 0]))


def attention_only(w, contexts, skips=()):
    parts, own = head_logits(w, contexts, skips)
    logits = parts.sum(dim=1)
    return logits if "residual" in skips else logits + own


def head_logits(w, contexts, skips=()):
    big = {name: item.double() for name, item in w.items()}
    tokens = F.embedding(contexts, big["W_E"])
    zero = torch.zeros((), dtype=torch.float64)

    def stream(part):
        emb = zero if f"emb_{part}" in skips else tokens
        pos = zero if f"pos_{part}" in skips else big["W_pos"]
        return (emb + pos).expand(tokens.shape)[:, None]

    query = stream("QK")[:, :, 1:] @ big["W_Q"].mT  # (n, H, 1, k)
    keys, values = stream("QK") @ big["W_K"].mT, stream("OV") @ big["W_V"].mT
    scores = query @ keys.mT / torch.tensor(float(query.shape[-1]), dtype=torch.float64).sqrt()
    written = scores.softmax(dim=-1) @ values @ big["W_O"].mT
    own = (tokens + big["W_pos"])[:, 1]
    return written.squeeze(2) @ big["W_U"].mT, own @ big["W_U"].mT


def two_losses(logits, law, tokens):
    logs = F.log_softmax(logits.double(), dim=1)
    return F.kl_div(logs, law.double(), reduction="batchmean"), F.nll_loss(logs, tokens)


def gauge(A, B):
    N = len(A)
    centre = torch.eye(N, dtype=torch.float64) - 1 / N
    P, Q = (
        U @ U.mT
        for U in (torch.linalg.svd(centre @ X.double(), full_matrices=False).U for X in (A, B))
    )
    return torch.linalg.matrix_norm(P - Q).item()


def attention_maps(w):
    N = len(w["W_E"])
    big = {name: item.double() for name, item in w.items()}
    first, second = (big["W_E"] + place for place in big["W_pos"])
    query = second @ big["W_Q"].mT
    own = (query * (second @ big["W_K"].mT)).sum(dim=-1, keepdim=True)
    scores = torch.stack([query @ (first @ big["W_K"].mT).mT, own.expand(-1, -1, N)])
    maps = F.softmax(scores / query.shape[-1] ** 0.5, dim=0)[0].mT
    return maps, torch.stack([torch.linalg.svdvals(one) for one in maps])


def promoted(parts, tokens):
    parts = parts.double()
    N = parts.shape[2]
    sums = torch.zeros(N, *parts.shape[1:], dtype=torch.float64).index_add(0, tokens, parts)
    return (sums - sums.mean(dim=2, keepdim=True)).gt(0).all(dim=1)  # no count is needed


def superposition(E, U, tokens):
    rows = U.double() - U.double().mean(dim=0, keepdim=True)
    directions = rows / torch.linalg.vector_norm(rows, dim=1, keepdim=True)
    own = F.cosine_similarity(E.double(), rows[tokens], dim=1)
    return rows.mm(rows.T), directions.mm(directions.T), own


def second_order(law, U):
    # Least squares with weights: rows of both sides times the roots of the probabilities.
    law, U = law.double(), U.double()
    roots, logs = law.sqrt(), law.log()
    moved = (U - (law @ U)[:, None]) * roots[..., None]
    wanted = (logs - (law * logs).sum(dim=1, keepdim=True)) * roots
    return torch.linalg.lstsq(moved, wanted[..., None]).solution.squeeze(-1)


def principal(law, d):
    logs = law.double().log()
    _, sizes, directions = torch.linalg.svd(logs - logs.mean(dim=1, keepdim=True))
    return directions.mT[:, :d] * sizes[:d]
