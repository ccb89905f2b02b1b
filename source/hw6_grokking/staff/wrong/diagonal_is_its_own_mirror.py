"""A pair of one number twice is counted as mirrored."""

FAILS = ("mirror_share",)
NUDGE = "What is the mirror image of (a, a), and was it trained on?"
EXPLANATION = "This fits pairs (a, a) counted as if their mirror image were trained on. It is the test pair itself."


def mirror_share(trained, others):
    known = set(map(tuple, trained.tolist()))
    return sum((b, a) in known or a == b for a, b in others.tolist()) / len(others)
