"""The sum runs over the second token, not over the third."""

FAILS = ("entropy",)
NUDGE = "Over which axis does one law of the third token add up to 1?"
EXPLANATION = "This fits a sum over the second axis. The third token is the last one: an entropy is a sum over its choices, in each context."
EDITS = {".sum(dim=-1)).sum()": ".sum(dim=1)).sum()"}
