"""The largest score of all contexts is subtracted, not each context's own."""

FAILS = ("gen_d_law",)
NUDGE = "What is left of a context whose scores are all 1,000 below a different context's?"
EXPLANATION = "This fits one maximum for all contexts: where a context's scores are much smaller, all its exponentials are zero, and 0 / 0 is NaN. Each row needs a maximum of its own."


def gen_d_law(E, U):
    scores = E @ U.T
    powers = (scores - scores.max()).exp()
    return powers / powers.sum(dim=1, keepdim=True)
