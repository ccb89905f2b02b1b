"""The logits come back as a list, through which no gradient flows."""

FAILS = ("naive_forward",)
WORDS = {"naive_forward": "no tensor of torch, but a list"}
EDITS = {
    """mixed)
    x = x + F.relu(x @ w["W_in"].T) @ w["W_out"].T
    return x @ w["W_U"].T""": """mixed)
    x = x + F.relu(x @ w["W_in"].T) @ w["W_out"].T
    return (x @ w["W_U"].T).tolist()"""
}
