"""What the neurons write replaces the stream."""

FAILS = ("naive_forward",)
NUDGE = "What does the arrow in the third formula add to what?"
EXPLANATION = (
    "This fits neurons whose output replaces the residual stream; it should be added to it."
)


def naive_forward(w, pairs):
    x = w["W_E"][sentences(pairs, len(w["W_E"]) - 1)] + w["W_pos"]
    q, k, v = (torch.einsum("hkd,ntd->nhtk", w[name], x) for name in ("W_Q", "W_K", "W_V"))
    scores = q @ k.mT / math.sqrt(q.shape[-1])
    future = torch.ones(3, 3, dtype=torch.bool).triu(1)
    mixed = scores.masked_fill(future, -math.inf).softmax(dim=-1) @ v
    x = x + torch.einsum("hdk,nhtk->ntd", w["W_O"], mixed)
    x = F.relu(x @ w["W_in"].T) @ w["W_out"].T
    return x @ w["W_U"].T
