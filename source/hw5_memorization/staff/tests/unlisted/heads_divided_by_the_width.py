"""Scores of the parts are divided by the root of d in place of that of a head's dimension."""

import torch
import torch.nn.functional as F

FAILS = ("head_logits",)
WORDS = {"head_logits": "heads. parts"}


def head_logits(w, contexts):
    x = F.embedding(contexts, w["W_E"]) + w["W_pos"]
    query = torch.einsum("nd,hkd->nhk", x[:, 1], w["W_Q"]) / w["W_E"].shape[1] ** 0.5
    shares = torch.einsum("nhk,hkd,nsd->nhs", query, w["W_K"], x).softmax(dim=-1)
    written = torch.einsum("nhs,nsd,hkd,hek->nhe", shares, x, w["W_V"], w["W_O"])
    return written @ w["W_U"].T, x[:, 1] @ w["W_U"].T
