"""The logits are right, and no gradient reaches what the scores come from."""

FAILS = ("fast_forward", "fast_cost", "one_epoch", "log_reproduction", "groks")
NUDGE = "Which weights do the attention weights depend on, and does each get a gradient?"
EXPLANATION = "This fits attention weights that are computed without gradients: queries and keys never learn. Tables have to stay part of the graph, and be made anew each time."


def fast_forward(w, pairs):
    a, b = pairs.T
    at_equals = w["W_E"][-1] + w["W_pos"][2]
    places = [w["W_E"][:-1] + w["W_pos"][0], w["W_E"][:-1] + w["W_pos"][1], at_equals[None]]
    with torch.no_grad():
        query = torch.einsum("hkd,d->hk", w["W_Q"], at_equals) / math.sqrt(w["W_Q"].shape[1])
        directions = torch.einsum("hkd,hk->hd", w["W_K"], query)
        first, second, own = (table @ directions.T for table in places)
        attention = torch.stack([first[a], second[b], own.expand(len(a), -1)], dim=1).softmax(1)
    values = [torch.einsum("td,hkd->thk", table, w["W_V"]) for table in places]
    first, second, own = (torch.einsum("thk,hdk->thd", value, w["W_O"]) for value in values)
    looked_up = torch.stack([first[a], second[b], own.expand(len(a), -1, -1)], dim=1)
    x = at_equals + (attention[..., None] * looked_up).sum(dim=(1, 2))
    x = x + F.relu(x @ w["W_in"].T) @ w["W_out"].T
    return x @ w["W_U"].T
