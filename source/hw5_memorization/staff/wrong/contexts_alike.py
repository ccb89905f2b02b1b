"""All contexts count the same, however often they come."""

FAILS = ("entropy",)
NUDGE = "How much does a context count that never comes?"
EXPLANATION = "This fits the plain mean over all N^2 contexts. Each counts with its chance."


def entropy(laws):
    return -torch.xlogy(laws[2], laws[2]).sum(dim=-1).mean()
