"""Broadcasting and sums, without any matrix product."""

import torch


def power_unif_law(alphas, choices, N):
    laws = []
    for alpha, tokens in zip(alphas, choices):
        powers = float(alpha) ** torch.arange(tokens.shape[-1], dtype=torch.float64)
        chosen = tokens[..., :, None] == torch.arange(N)
        laws.append((chosen * (powers / powers.sum())[:, None]).sum(dim=-2).float())
    return tuple(laws)


def last_position_law(best, beta):
    N = best.shape[0]
    return torch.where(best[:, :, None] == torch.arange(N), beta, (1 - beta) / (N - 1))


def gen_d_law(E, U):
    scores = (E[:, None, :] * U[None, :, :]).sum(dim=2)
    differences = scores[:, None, :] - scores[:, :, None]  # of the others to each token
    return 1 / differences.exp().sum(dim=2)


def entropy(laws):
    weighted = laws[0][:, None, None] * laws[1][:, :, None] * torch.special.entr(laws[2])
    return weighted.sum()


def first_share(scores):
    difference = scores[..., 0] - scores[..., 1]
    small = torch.exp(-difference.abs())
    return torch.where(difference >= 0, 1.0, small) / (1 + small)


def attention_only(w, contexts, skips=()):
    emb, pos = w["W_E"][contexts][:, None], w["W_pos"][None, None]  # (n, 1, 2, d)
    zero = torch.zeros_like(emb)
    read = zero + ("emb_QK" not in skips) * emb + ("pos_QK" not in skips) * pos
    carried = zero + ("emb_OV" not in skips) * emb + ("pos_OV" not in skips) * pos
    query = (read[:, :, 1, None, :] * w["W_Q"]).sum(dim=-1)  # (n, H, k)
    keys = (read[:, :, :, None, :] * w["W_K"][:, None]).sum(dim=-1)  # (n, H, 2, k)
    values = (carried[:, :, :, None, :] * w["W_V"][:, None]).sum(dim=-1)
    scores = (query[:, :, None] * keys).mean(dim=-1) * w["W_Q"].shape[1] ** 0.5
    mixed = (scores.softmax(dim=-1)[..., None] * values).sum(dim=2)
    stream = (mixed[:, :, None, :] * w["W_O"]).sum(dim=(1, 3))
    if "residual" not in skips:
        stream += (emb + pos)[:, 0, 1]
    return (stream[:, None, :] * w["W_U"]).sum(dim=-1)


def head_logits(w, contexts):
    x = (w["W_E"][contexts] + w["W_pos"])[:, None]  # (n, 1, 2, d)
    query = (x[:, :, 1, None] * w["W_Q"]).sum(-1) / w["W_Q"].shape[1] ** 0.5
    asked = (query[..., None] * w["W_K"]).sum(2)  # (n, H, d): in the stream's own dimensions
    scores = (asked[:, :, None] * x).sum(-1)
    powers = (scores - scores.amax(-1, keepdim=True)).exp()
    mixed = (powers[..., None] * x).sum(2) / powers.sum(-1, keepdim=True)
    values = (mixed[:, :, None] * w["W_V"]).sum(-1)
    written = (values[:, :, None] * w["W_O"]).sum(-1)
    parts = (written[:, :, None] * w["W_U"]).sum(-1)
    return parts, (x[:, :, 1] * w["W_U"]).sum(-1)


def two_losses(logits, law, tokens):
    moved = logits - logits.detach().amax(dim=1, keepdim=True)
    logs = moved - moved.exp().sum(dim=1, keepdim=True).log()
    known = -torch.special.entr(law) - law * logs
    drawn = tokens[:, None] == torch.arange(logits.shape[1])
    return known.sum(dim=1).mean(), -(logs * drawn).sum(dim=1).mean()


def gauge(A, B):
    # Householder's vectors one by one would be long: the whole is left to lstsq.
    same = torch.eye(len(A), dtype=A.dtype)
    solved = [(X, torch.linalg.lstsq(X, same).solution) for X in (A - A.mean(0), B - B.mean(0))]
    first, second = ((X[:, :, None] * inverse[None]).sum(dim=1) for X, inverse in solved)
    return (first - second).square().sum().sqrt()


def attention_maps(w):
    x = w["W_E"][None] + w["W_pos"][:, None]  # (2, N, d)
    query = (x[1, None, :, None] * w["W_Q"][:, None]).sum(dim=-1)  # (H, N, k)
    keys = (x[:, None, :, None] * w["W_K"][None, :, None]).sum(dim=-1)  # (2, H, N, k)
    first = (keys[0, :, :, None] * query[:, None]).sum(dim=-1)
    second = (keys[1] * query).sum(dim=-1)
    maps = ((first - second[:, None]) / query.shape[-1] ** 0.5).sigmoid()
    return maps, torch.linalg.svd(maps).S


def promoted(parts, tokens):
    N = parts.shape[-1]
    follows = tokens[:, None] == torch.arange(N)  # (n, N)
    number = follows.sum(dim=0).clamp(min=1)
    means = (follows[:, :, None, None] * parts[:, None]).sum(dim=0) / number[:, None, None]
    return (means > means.mean(dim=2, keepdim=True)).all(dim=1)


def superposition(E, U, tokens):
    rows = U - U.sum(dim=0) / len(U)
    gram = (rows[:, None] * rows[None]).sum(dim=2)
    lengths = gram.diagonal().sqrt()
    own = (E * rows[tokens]).sum(dim=1) / (E.square().sum(dim=1).sqrt() * lengths[tokens])
    return gram, gram / (lengths[:, None] * lengths), own


def second_order(law, U):
    moved = U[None] - (law[:, :, None] * U[None]).sum(dim=1, keepdim=True)  # (n, N, d)
    variance = (law[:, :, None, None] * moved[..., None] * moved[:, :, None]).sum(dim=1)
    covariance = (law[:, :, None] * moved * law.log()[:, :, None]).sum(dim=1)
    return (torch.linalg.inv(variance) * covariance[:, None]).sum(dim=2)


def principal(law, d):
    logs = law.log() - law.log().mean(dim=1, keepdim=True)
    products = (logs[:, :, None] * logs[:, None]).sum(dim=0)
    return torch.linalg.eigh(products).eigenvectors[:, -d:]
