"""The weights are detached, and no gradient flows from the logits back to them."""

FAILS = ("attention_only", "train_heads", "freezing")
NUDGE = "Can a gradient flow from your logits back to the weights?"
EXPLANATION = "This fits logits that are cut off from the weights, as numpy, .detach() and torch.no_grad() do: nothing can be trained with them."


def attention_only(w, contexts, skips=()):
    w = {name: item.detach() for name, item in w.items()}
    tokens, places = w["W_E"][contexts], w["W_pos"].expand(len(contexts), -1, -1)
    read, carried = (
        tokens * (f"emb_{part}" not in skips) + places * (f"pos_{part}" not in skips)
        for part in ("QK", "OV")
    )
    query = torch.einsum("nd,hkd->nhk", read[:, 1], w["W_Q"]) / w["W_Q"].shape[1] ** 0.5
    scores = torch.einsum("nhk,hkd,nsd->nhs", query, w["W_K"], read)
    mixed = torch.einsum("nhs,nsd->nhd", scores.softmax(dim=-1), carried)
    written = torch.einsum("nhd,hkd,hek->ne", mixed, w["W_V"], w["W_O"])
    if "residual" not in skips:
        written = written + tokens[:, 1] + places[:, 1]
    return written @ w["W_U"].T
