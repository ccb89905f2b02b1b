"""Losses are summed over the batch and not averaged."""

FAILS = ("nll_trap",)
NUDGE = "Does your loss grow when the same sentences are in the batch twice?"
EXPLANATION = "This fits losses that are added up over the batch. Both are means."
EDITS = {"labels[:, None]).mean()": "labels[:, None]).sum()", "- chosen).mean()": "- chosen).sum()"}
