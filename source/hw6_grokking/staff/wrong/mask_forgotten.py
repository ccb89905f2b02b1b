"""Positions look at what comes after them."""

FAILS = ("naive_forward",)
NUDGE = "Which of the three positions may look at `=`?"
EXPLANATION = "This fits attention without a causal mask: the logits at `=` are right, and those at the first two positions are not."


def naive_forward(w, pairs):
    x = w["W_E"][sentences(pairs, len(w["W_E"]) - 1)] + w["W_pos"]
    q, k, v = (torch.einsum("hkd,ntd->nhtk", w[name], x) for name in ("W_Q", "W_K", "W_V"))
    mixed = (q @ k.mT / math.sqrt(q.shape[-1])).softmax(dim=-1) @ v
    x = x + torch.einsum("hdk,nhtk->ntd", w["W_O"], mixed)
    x = x + F.relu(x @ w["W_in"].T) @ w["W_out"].T
    return x @ w["W_U"].T
