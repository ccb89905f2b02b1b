"""The mirror images are looked for among the test pairs."""

FAILS = ("mirror_share",)
WORDS = {"mirror_share": "not right"}


def mirror_share(trained, others):
    unknown = set(map(tuple, others.tolist()))
    return sum((b, a) in unknown for a, b in others.tolist()) / len(others)
