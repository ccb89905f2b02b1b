"""The entropy is in bits."""

FAILS = ("entropy",)
NUDGE = "Which logarithm gives nats?"
EXPLANATION = "This fits logarithms to the base 2. Nats need natural ones."
EDITS = {".sum(dim=-1)).sum()": ".sum(dim=-1)).sum() / math.log(2)"}
