"""W_Q is scaled in the dict that the caller gave."""

import torch

FAILS = (
    "attention_only",
    "train_heads",
    "freezing",
    "uneven",
)
WORDS = {"attention_only": "changes `w\\['W_Q'\\]`"}


def attention_only(w, contexts, skips=()):
    w["W_Q"] = w["W_Q"] / w["W_Q"].shape[1] ** 0.5
    tokens, places = w["W_E"][contexts], w["W_pos"].expand(len(contexts), -1, -1)
    read, carried = (
        tokens * (f"emb_{part}" not in skips) + places * (f"pos_{part}" not in skips)
        for part in ("QK", "OV")
    )
    query = torch.einsum("nd,hkd->nhk", read[:, 1], w["W_Q"])
    scores = torch.einsum("nhk,hkd,nsd->nhs", query, w["W_K"], read)
    mixed = torch.einsum("nhs,nsd->nhd", scores.softmax(dim=-1), carried)
    written = torch.einsum("nhd,hkd,hek->ne", mixed, w["W_V"], w["W_O"])
    if "residual" not in skips:
        written = written + tokens[:, 1] + places[:, 1]
    return written @ w["W_U"].T
