"""The entropy of all three tokens together."""

FAILS = ("entropy",)
NUDGE = "Is the entropy of the first two tokens in your number?"
EXPLANATION = "This fits the entropy of whole triples. The question asks for the third token's entropy once the context is known."


def entropy(laws):
    triples = laws[0][:, None, None] * laws[1][:, :, None] * laws[2]
    return -torch.xlogy(triples, triples).sum()
