"""The residual stream is counted once for each head."""

FAILS = ("head_logits",)
NUDGE = "Do your parts and the residual stream's add up to the logits?"
EXPLANATION = (
    "This fits heads' parts that each hold the residual stream as well: it is there only once."
)


def head_logits(w, contexts):
    x = F.embedding(contexts, w["W_E"]) + w["W_pos"]
    query = torch.einsum("nd,hkd->nhk", x[:, 1], w["W_Q"]) / w["W_Q"].shape[1] ** 0.5
    shares = torch.einsum("nhk,hkd,nsd->nhs", query, w["W_K"], x).softmax(dim=-1)
    written = torch.einsum("nhs,nsd,hkd,hek->nhe", shares, x, w["W_V"], w["W_O"]) + x[:, 1:]
    return written @ w["W_U"].T, x[:, 1] @ w["W_U"].T
