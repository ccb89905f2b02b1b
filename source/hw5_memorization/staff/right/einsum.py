"""Products written with einsum; heads as pairs of circuits, QK and OV."""

import torch
import torch.nn.functional as F


def power_unif_law(alphas, choices, N):
    laws = []
    for alpha, tokens in zip(alphas, choices):
        chances = torch.as_tensor(float(alpha)).pow(torch.arange(tokens.size(-1)))
        hot = F.one_hot(tokens, N).to(chances.dtype)
        laws.append(torch.einsum("...rk,r->...k", hot, chances / chances.sum()))
    return laws


def last_position_law(best, beta):
    N = len(best)
    rest = (1 - beta) / (N - 1)
    every = torch.ones(N, N, N, dtype=torch.float64)
    return rest * every + (beta - rest) * F.one_hot(best, N)


def gen_d_law(E, U):
    return torch.softmax(torch.einsum("nd,kd->nk", E, U), dim=-1)


def entropy(laws):
    logs = laws[2].clamp(min=torch.finfo(laws[2].dtype).tiny).log()
    return -torch.einsum("i,ij,ijk,ijk->", *laws, logs)


def first_share(scores):
    signs = torch.tensor([1, -1], dtype=scores.dtype)
    return torch.einsum("...s,s->...", scores, signs).sigmoid()


def attention_only(w, contexts, skips=()):
    tokens, places = w["W_E"][contexts], w["W_pos"][None]
    nothing = torch.zeros_like(tokens)
    read = (nothing if "emb_QK" in skips else tokens) + (
        0 * places if "pos_QK" in skips else places
    )
    carried = (nothing if "emb_OV" in skips else tokens) + (
        0 * places if "pos_OV" in skips else places
    )
    compared = torch.einsum("hkd,hke->hde", w["W_Q"], w["W_K"]) * w["W_Q"].size(1) ** -0.5
    moved = torch.einsum("ud,hdk,hke->hue", w["W_U"], w["W_O"], w["W_V"])
    difference = torch.einsum("nd,hde,ne->nh", read[:, 1], compared, read[:, 0] - read[:, 1])
    share = difference.sigmoid()
    shares = torch.stack([share, 1 - share], dim=2)
    logits = torch.einsum("nhs,hue,nse->nu", shares, moved, carried)
    if "residual" in skips:
        return logits
    return logits + torch.einsum("nd,ud->nu", tokens[:, 1] + places[:, 1], w["W_U"])


def head_logits(w, contexts):
    x = w["W_E"][contexts] + w["W_pos"]
    scores = torch.einsum("nd,hkd,hke,nse->nhs", x[:, 1], w["W_Q"], w["W_K"], x)
    shares = torch.softmax(scores / w["W_Q"].size(1) ** 0.5, dim=2)
    parts = torch.einsum("nhs,nse,hke,hdk,ud->nhu", shares, x, w["W_V"], w["W_O"], w["W_U"])
    return parts, torch.einsum("nd,ud->nu", x[:, 1], w["W_U"])


def two_losses(logits, law, tokens):
    logs = F.log_softmax(logits, dim=1)
    own = torch.where(law > 0, law, torch.ones_like(law)).log()
    hot = F.one_hot(tokens, logits.size(1)).to(logs.dtype)
    divergence = torch.einsum("nk,nk->", law, own - logs) / len(law)
    return divergence, -torch.einsum("nk,nk->", hot, logs) / len(law)


def gauge(A, B):
    def projector(X):
        X = X.double()
        X = X - torch.einsum("nd->d", X) / len(X)
        inverse = torch.linalg.inv(torch.einsum("nd,ne->de", X, X))
        return torch.einsum("nd,de,me->nm", X, inverse, X)

    difference = projector(A) - projector(B)
    return torch.einsum("nm,nm->", difference, difference).sqrt()


def attention_maps(w):
    x = w["W_E"] + w["W_pos"][:, None]
    compared = torch.einsum("hkd,hke->hde", w["W_Q"], w["W_K"]) * w["W_Q"].size(1) ** -0.5
    scores = torch.einsum("jd,hde,sie->shij", x[1], compared, x)
    own = torch.einsum("hjj->hj", scores[1])
    maps = (scores[0] - own.unsqueeze(1)).sigmoid()
    return maps, torch.linalg.svdvals(maps)


def promoted(parts, tokens):
    N = parts.size(2)
    centre = torch.eye(N, dtype=parts.dtype) - 1 / N
    hot = F.one_hot(tokens, N).to(parts.dtype)
    above = torch.einsum("nk,nhu,ut->hkt", hot, parts, centre)
    return above.amin(dim=0) > 1e-9


def superposition(E, U, tokens):
    rows = U - torch.einsum("kd->d", U) / U.size(0)
    lengths = torch.einsum("kd,kd->k", rows, rows).rsqrt()
    gram = torch.einsum("kd,md->km", rows, rows)
    own = torch.einsum("nd,nd->n", E, rows[tokens]) * lengths[tokens]
    own = own * torch.einsum("nd,nd->n", E, E).rsqrt()
    return gram, torch.einsum("km,k,m->km", gram, lengths, lengths), own


def second_order(law, U):
    mean = torch.einsum("nk,kd->nd", law, U)
    variance = torch.einsum("nk,kd,ke->nde", law, U, U) - torch.einsum("nd,ne->nde", mean, mean)
    logs = law.log()
    covariance = torch.einsum("nk,nk,kd->nd", law, logs, U)
    covariance = covariance - torch.einsum("nk,nk,nd->nd", law, logs, mean)
    return torch.einsum("nde,ne->nd", torch.linalg.inv(variance), covariance)


def principal(law, d):
    logs = law.log()
    logs = logs - torch.einsum("nk->n", logs)[:, None] / law.size(1)
    values, vectors = torch.linalg.eigh(torch.einsum("nk,nm->km", logs, logs))
    return vectors[:, values.argsort(descending=True)[:d]]
