"""The residual stream's part is the token's embedding alone."""

import torch

FAILS = ("head_logits",)
WORDS = {"head_logits": "residual stream"}


def head_logits(w, contexts):
    tokens = w["W_E"][contexts]
    x = tokens + w["W_pos"]
    query = torch.einsum("nd,hkd->nhk", x[:, 1], w["W_Q"]) / w["W_Q"].shape[1] ** 0.5
    shares = torch.einsum("nhk,hkd,nsd->nhs", query, w["W_K"], x).softmax(dim=-1)
    written = torch.einsum("nhs,nsd,hkd,hek->nhe", shares, x, w["W_V"], w["W_O"])
    return written @ w["W_U"].T, tokens[:, 1] @ w["W_U"].T
