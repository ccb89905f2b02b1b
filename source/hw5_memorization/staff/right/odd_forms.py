"""Right values in every form that a person may return: complex, fractions, stacked, nested."""

from decimal import Decimal
from fractions import Fraction

import torch
import torch.nn.functional as F


def power_unif_law(alphas, choices, N):
    for alpha, tokens in zip(alphas, choices):  # a generator of three laws
        powers = torch.tensor([float(alpha) ** rank for rank in range(tokens.shape[-1])])
        chances = (powers / powers.sum()).expand(tokens.shape)
        yield torch.zeros(*tokens.shape[:-1], N).scatter(-1, tokens, chances)


def last_position_law(best, beta):
    N, chance = len(best), Fraction(beta)
    rest = (1 - chance) / (N - 1)
    return [
        [[chance if k == token else rest for k in range(N)] for token in row]
        for row in best.tolist()
    ]


def gen_d_law(E, U):
    return (E @ U.T).softmax(dim=1).to(torch.complex128)


def entropy(laws):
    joint = laws[0][:, None, None] * laws[1][:, :, None] * laws[2]
    return Decimal(float(-(joint * laws[2].clamp(min=1e-300).log()).sum()))


def first_share(scores):
    return torch.sigmoid(scores[..., 0] - scores[..., 1]).numpy().astype(complex)


def attention_only(w, contexts, skips=()):
    w, skips = dict(w), [*skips]  # its own, which it may change
    w["W_Q"] = w["W_Q"] / w["W_Q"].shape[1] ** 0.5
    tokens, places = F.embedding(contexts, w["W_E"]), w.pop("W_pos")
    if {"emb_OV", "pos_OV", "residual"} <= {*skips}:
        return torch.zeros(len(contexts), len(w["W_U"]))  # no weight has a say
    read, carried = (
        tokens * (f"emb_{part}" not in skips) + places * (f"pos_{part}" not in skips)
        for part in ("QK", "OV")
    )
    share = torch.full((len(contexts), len(w["W_Q"]), 2), 0.5, dtype=tokens.dtype)
    if not {"emb_QK", "pos_QK"} <= {*skips}:
        scores = torch.einsum("nd,hkd,hke,nse->nhs", read[:, 1], w["W_Q"], w["W_K"], read)
        share = scores.softmax(dim=-1)
    stream = torch.einsum("nhs,nsd,hkd,hek->ne", share, carried, w["W_V"], w["W_O"])
    if "residual" not in skips:
        stream = stream + tokens[:, 1] + places[1]
    return (stream @ w["W_U"].T).double()


def head_logits(w, contexts):
    x = F.embedding(contexts, w["W_E"]) + w["W_pos"]
    scores = torch.einsum("nd,hkd,hke,nse->nhs", x[:, 1], w["W_Q"], w["W_K"], x)
    shares = (scores / w["W_Q"].shape[1] ** 0.5).softmax(dim=-1)
    parts = torch.einsum("nhs,nsd,hkd,hek,ue->nhu", shares, x, w["W_V"], w["W_O"], w["W_U"])
    return parts.detach().numpy(), [list(row) for row in x[:, 1] @ w["W_U"].T]


def two_losses(logits, law, tokens):
    logs = logits.log_softmax(dim=1)
    divergence = (torch.xlogy(law, law) - law * logs).sum(dim=1).mean()
    return torch.stack([divergence, F.nll_loss(logs, tokens)])


def gauge(A, B):
    bases = [torch.linalg.qr(X - X.mean(dim=0)).Q for X in (A, B)]
    return [[torch.linalg.norm(bases[0] @ bases[0].T - bases[1] @ bases[1].T)]]


def attention_maps(w):
    first, second = w["W_E"] + w["W_pos"].unsqueeze(1)
    scores = (second @ w["W_Q"].mT) @ w["W_K"] @ torch.stack([first, second])[:, None].mT
    own = scores[1].diagonal(dim1=1, dim2=2).unsqueeze(2)
    maps = torch.sigmoid((scores[0] - own) / w["W_Q"].shape[1] ** 0.5).mT
    return [list(one) for one in maps], torch.linalg.svdvals(maps).to(torch.complex128)


def promoted(parts, tokens):
    above = parts - parts.mean(dim=-1, keepdim=True)
    rows = []
    for token in range(parts.shape[-1]):
        some = above[tokens == token].sum(dim=0)
        rows.append([complex(bool(right)) for right in (some > 0).all(dim=0)])
    return rows


def superposition(E, U, tokens):
    rows = (U - U.mean(dim=0)).to(torch.complex128)
    directions = F.normalize(rows, dim=1)
    own = [Fraction(float(x)) for x in F.cosine_similarity(E, directions.real[tokens])]
    yield rows @ rows.T
    yield (directions @ directions.T).requires_grad_()
    yield own


def second_order(law, U):
    mean, logs = law @ U, law.log()
    variance = (law[:, None] * U.T) @ U - mean[:, :, None] * mean[:, None]
    covariance = (law * logs) @ U - (law * logs).sum(dim=1, keepdim=True) * mean
    return [tuple(Decimal(float(x)) for x in e) for e in torch.linalg.solve(variance, covariance)]


def principal(law, d):
    logs = law.log() - law.log().mean(dim=1, keepdim=True)
    basis = torch.linalg.svd(logs, full_matrices=False).Vh[:d].T
    return (-5 * basis).to(torch.complex128).requires_grad_()
