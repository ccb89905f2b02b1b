"""The switches are taken and not used, as in the source."""

FAILS = ("attention_only", "uneven")
NUDGE = "Does anything change when you skip something?"
EXPLANATION = "This fits a model that is the same whatever is skipped, as in the original."


def attention_only(w, contexts, skips=()):
    tokens, places = w["W_E"][contexts], w["W_pos"].expand(len(contexts), -1, -1)
    x = tokens + places
    query = torch.einsum("nd,hkd->nhk", x[:, 1], w["W_Q"]) / w["W_Q"].shape[1] ** 0.5
    scores = torch.einsum("nhk,hkd,nsd->nhs", query, w["W_K"], x)
    mixed = torch.einsum("nhs,nsd->nhd", scores.softmax(dim=-1), x)
    written = torch.einsum("nhd,hkd,hek->ne", mixed, w["W_V"], w["W_O"])
    return (written + x[:, 1]) @ w["W_U"].T
