"""One table serves both positions: the second token is looked up as if it stood first."""

FAILS = ("fast_forward", "fast_cost", "one_epoch", "log_reproduction", "groks")
NUDGE = "What is added to the embedding of b that is not added to that of a?"
EXPLANATION = "This fits one table for both positions. The two differ by their position vectors, so the second token needs a table of its own."


def fast_forward(w, pairs):
    a, b = pairs.T
    at_equals = w["W_E"][-1] + w["W_pos"][2]
    places = [w["W_E"][:-1] + w["W_pos"][0], at_equals[None]]
    query = torch.einsum("hkd,d->hk", w["W_Q"], at_equals) / math.sqrt(w["W_Q"].shape[1])
    directions = torch.einsum("hkd,hk->hd", w["W_K"], query)
    table, own = (place @ directions.T for place in places)
    attention = torch.stack([table[a], table[b], own.expand(len(a), -1)], dim=1).softmax(dim=1)
    values = [torch.einsum("td,hkd->thk", place, w["W_V"]) for place in places]
    table, own = (torch.einsum("thk,hdk->thd", value, w["W_O"]) for value in values)
    looked_up = torch.stack([table[a], table[b], own.expand(len(a), -1, -1)], dim=1)
    x = at_equals + (attention[..., None] * looked_up).sum(dim=(1, 2))
    x = x + F.relu(x @ w["W_in"].T) @ w["W_out"].T
    return x @ w["W_U"].T
