"""Only the keys lose what is skipped; queries keep it."""

FAILS = ("attention_only",)
NUDGE = "Which two of the three read what is skipped for QK?"
EXPLANATION = (
    "This fits a switch that acts on keys alone. What is skipped for QK is missing in queries, too."
)


def attention_only(w, contexts, skips=()):
    tokens, places = w["W_E"][contexts], w["W_pos"].expand(len(contexts), -1, -1)
    read, carried = (
        tokens * (f"emb_{part}" not in skips) + places * (f"pos_{part}" not in skips)
        for part in ("QK", "OV")
    )
    whole = tokens[:, 1] + places[:, 1]
    query = torch.einsum("nd,hkd->nhk", whole, w["W_Q"]) / w["W_Q"].shape[1] ** 0.5
    scores = torch.einsum("nhk,hkd,nsd->nhs", query, w["W_K"], read)
    mixed = torch.einsum("nhs,nsd->nhd", scores.softmax(dim=-1), carried)
    written = torch.einsum("nhd,hkd,hek->ne", mixed, w["W_V"], w["W_O"])
    if "residual" not in skips:
        written = written + whole
    return written @ w["W_U"].T
