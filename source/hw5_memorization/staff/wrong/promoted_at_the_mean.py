"""A token that gets exactly the mean counts as promoted."""

FAILS = ("promoted",)
NUDGE = "What does a head promote that gives every token the same?"
EXPLANATION = "This fits >= where > belongs: a token that gets exactly the mean of all tokens gets no more than it."


def promoted(parts, tokens):
    N = parts.shape[2]
    above = parts - parts.mean(dim=2, keepdim=True)
    table = torch.zeros(N, N, dtype=torch.bool)
    for token in tokens.unique():
        table[token] = (above[tokens == token].mean(dim=0) >= 0).all(dim=0)
    return table
