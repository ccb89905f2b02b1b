"""Scores are divided by the root of the model's width, not of a head's."""

FAILS = ("naive_forward", "fast_forward", "fast_cost", "one_epoch", "log_reproduction", "groks")
NUDGE = "How long are the vectors whose product a score is?"
EXPLANATION = "This fits scores divided by the square root of d. Queries and keys of one head have d/4 numbers."


def naive_forward(w, pairs):
    x = w["W_E"][sentences(pairs, len(w["W_E"]) - 1)] + w["W_pos"]
    q, k, v = (torch.einsum("hkd,ntd->nhtk", w[name], x) for name in ("W_Q", "W_K", "W_V"))
    scores = q @ k.mT / math.sqrt(x.shape[-1])
    future = torch.ones(3, 3, dtype=torch.bool).triu(1)
    mixed = scores.masked_fill(future, -math.inf).softmax(dim=-1) @ v
    x = x + torch.einsum("hdk,nhtk->ntd", w["W_O"], mixed)
    x = x + F.relu(x @ w["W_in"].T) @ w["W_out"].T
    return x @ w["W_U"].T


def fast_forward(w, pairs):
    a, b = pairs.T
    at_equals = w["W_E"][-1] + w["W_pos"][2]
    places = [w["W_E"][:-1] + w["W_pos"][0], w["W_E"][:-1] + w["W_pos"][1], at_equals[None]]
    query = torch.einsum("hkd,d->hk", w["W_Q"], at_equals) / math.sqrt(len(at_equals))
    directions = torch.einsum("hkd,hk->hd", w["W_K"], query)
    first, second, own = (table @ directions.T for table in places)
    attention = torch.stack([first[a], second[b], own.expand(len(a), -1)], dim=1).softmax(dim=1)
    values = [torch.einsum("td,hkd->thk", table, w["W_V"]) for table in places]
    first, second, own = (torch.einsum("thk,hdk->thd", value, w["W_O"]) for value in values)
    looked_up = torch.stack([first[a], second[b], own.expand(len(a), -1, -1)], dim=1)
    x = at_equals + (attention[..., None] * looked_up).sum(dim=(1, 2))
    x = x + F.relu(x @ w["W_in"].T) @ w["W_out"].T
    return x @ w["W_U"].T
