"""torch's own functions: scaled_dot_product_attention, embedding, linear, kl_div, cross_entropy."""

import torch
import torch.nn.functional as F


def power_unif_law(alphas, choices, N):
    laws = []
    for alpha, tokens in zip(alphas, choices):
        k = tokens.shape[-1]
        chances = F.pad(
            F.normalize(torch.logspace(0, k - 1, k, base=alpha), p=1, dim=0), (0, N - k)
        )
        ranked = torch.ones(*tokens.shape[:-1], N, dtype=torch.bool).scatter(-1, tokens, False)
        # All tokens by their rank, those that are not possible last; then the inverse of that.
        last = torch.argsort(ranked.int(), dim=-1, stable=True)[..., k:]
        laws.append(chances[torch.argsort(torch.cat([tokens, last], dim=-1), dim=-1)])
    return laws


def last_position_law(best, beta):
    N = len(best)
    rows = torch.full((N, N), (1 - beta) / (N - 1)).fill_diagonal_(beta)
    return F.embedding(best, rows)


def gen_d_law(E, U):
    same = torch.eye(len(U), dtype=U.dtype)
    return F.scaled_dot_product_attention(E[None], U[None], same[None], scale=1.0)[0]


def entropy(laws):
    first, second, third = laws
    possible = third > 0
    surprise = torch.zeros_like(third)
    surprise[possible] = -third[possible].log()
    of_contexts = torch.mul(first.unsqueeze(-1), second)
    return torch.tensordot(of_contexts.unsqueeze(-1) * third, surprise, dims=3)


def first_share(scores):
    return torch.special.expit(-torch.diff(scores, dim=-1).squeeze(-1))


def attention_only(w, contexts, skips=()):
    tokens = F.embedding(contexts, w["W_E"])
    places = F.embedding(torch.arange(2), w["W_pos"]).repeat(len(contexts), 1, 1)

    def read(part):
        kept = torch.zeros_like(tokens)
        kept = kept if f"emb_{part}" in skips else kept + tokens
        return kept if f"pos_{part}" in skips else kept + places

    def heads(x, maps):  # (n, places, d) -> (n, H, places, k)
        return F.linear(x, maps.flatten(0, 1)).unflatten(-1, maps.shape[:2]).transpose(1, 2)

    mixed = F.scaled_dot_product_attention(
        heads(read("QK")[:, 1:], w["W_Q"]),
        heads(read("QK"), w["W_K"]),
        heads(read("OV"), w["W_V"]),
    )
    joined = mixed.transpose(1, 2).flatten(1)  # (n, H k)
    stream = F.linear(joined, w["W_O"].transpose(0, 1).flatten(1))
    if "residual" not in skips:
        stream = stream + tokens[:, 1] + places[:, 1]
    return F.linear(stream, w["W_U"])


def head_logits(w, contexts):
    x = F.embedding(contexts, w["W_E"]) + w["W_pos"]
    own = F.linear(x[:, 1], w["W_U"])
    parts = []
    for q, k, v, o in zip(w["W_Q"], w["W_K"], w["W_V"], w["W_O"]):
        head = F.scaled_dot_product_attention(F.linear(x[:, 1:], q), F.linear(x, k), F.linear(x, v))
        parts.append(F.linear(F.linear(head, o), w["W_U"]))
    return torch.cat(parts, dim=1), own


def two_losses(logits, law, tokens):
    crossed = F.cross_entropy(logits, law.to(logits.dtype))
    return crossed - torch.special.entr(law).sum() / len(law), F.cross_entropy(logits, tokens)


def gauge(A, B):
    # Orthogonalised against the constant vector, which is left out afterwards.
    bases = [
        torch.linalg.qr(torch.cat([torch.ones_like(X[:, :1]), X], dim=1)).Q[:, 1:] for X in (A, B)
    ]
    return F.pairwise_distance(*((Q @ Q.T).flatten()[None] for Q in bases), eps=0.0)[0]


def attention_maps(w):
    N, size = len(w["W_E"]), w["W_Q"].shape[1]
    every = torch.cartesian_prod(torch.arange(N), torch.arange(N))
    x = F.embedding(every, w["W_E"]) + w["W_pos"]
    maps = []
    for q, k in zip(w["W_Q"], w["W_K"]):
        shown = torch.eye(2, dtype=x.dtype).expand(len(x), 2, 2)  # values that tell the places
        mixed = F.scaled_dot_product_attention(
            F.linear(x[:, 1:], q), F.linear(x, k), shown, scale=size**-0.5
        )
        maps.append(mixed[:, 0, 0].view(N, N))
    maps = torch.stack(maps)
    return maps, torch.linalg.svdvals(maps)


def promoted(parts, tokens):
    N = parts.shape[2]
    index = tokens[:, None, None].expand_as(parts)
    zeros = torch.zeros(N, *parts.shape[1:], dtype=parts.dtype)
    means = zeros.scatter_reduce(0, index, parts, "mean", include_self=False)
    above = F.layer_norm(means, (N,), eps=1e-12)  # its sign is that of what is above the mean
    return torch.all(above > 1e-6, dim=1)


def superposition(E, U, tokens):
    rows = torch.sub(U, torch.mean(U, dim=0))
    cosines = F.cosine_similarity(rows[:, None], rows[None], dim=2)
    return torch.matmul(rows, rows.T), cosines, F.cosine_similarity(E, rows[tokens])


def second_order(law, U):
    vectors = []
    for chances in law:
        both = torch.cat([U, chances.log()[:, None]], dim=1)
        together = torch.cov(both.T, aweights=chances, correction=0)
        vectors.append(torch.linalg.solve(together[:-1, :-1], together[:-1, -1]))
    return torch.stack(vectors)


def principal(law, d):
    logs = law.log()
    _, _, V = torch.svd(logs - logs.mean(dim=1, keepdim=True))
    return V[:, :d]
