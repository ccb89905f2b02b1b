"""All contexts count the same, however often they come."""

FAILS = ("entropy",)
NUDGE = "How much should a context count that never comes?"
EXPLANATION = "This fits the plain mean over all N^2 contexts. Weight each by its probability."


def entropy(laws):
    return -torch.xlogy(laws[2], laws[2]).sum(dim=-1).mean()
