"""The share is taken of the trained pairs."""

FAILS = ("mirror_share",)
NUDGE = "Of which pairs is the share asked?"
EXPLANATION = "This fits the number of mirrored test pairs over the number of trained ones."


def mirror_share(trained, others):
    known = set(map(tuple, trained.tolist()))
    return sum((b, a) in known for a, b in others.tolist()) / len(trained)
