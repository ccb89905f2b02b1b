"""Positions look at what comes after them."""

FAILS = ("naive_forward",)
NUDGE = "Which of the three positions may look at `=`?"
EXPLANATION = "This fits attention without a causal mask: the logits at `=` are right, and those at the first two positions are not."
EDITS = {"scores.masked_fill(future, -math.inf).softmax": "scores.softmax"}
