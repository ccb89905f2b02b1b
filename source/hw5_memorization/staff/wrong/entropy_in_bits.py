"""The entropy is in bits."""

FAILS = ("entropy",)
NUDGE = "Which logarithm gives nats?"
EXPLANATION = "This fits logarithms to the base 2. Nats need natural ones."


def entropy(laws):
    of_contexts = laws[0][:, None] * laws[1]
    return -(of_contexts * torch.xlogy(laws[2], laws[2]).sum(dim=-1)).sum() / math.log(2)
