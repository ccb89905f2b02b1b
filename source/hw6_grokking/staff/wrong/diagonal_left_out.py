"""Pairs of one number twice are left out of the count."""

FAILS = ("mirror_share",)
NUDGE = "Of how many pairs is it a share?"
EXPLANATION = "This fits a share of the test pairs with a mirror image of their own. It is asked of all test pairs."


def mirror_share(trained, others):
    known = set(map(tuple, trained.tolist()))
    couples = [(a, b) for a, b in others.tolist() if a != b]
    return sum((b, a) in known for a, b in couples) / len(couples)
