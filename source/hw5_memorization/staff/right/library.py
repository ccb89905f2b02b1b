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
