"""The mean over the sentences in place of the largest."""

FAILS = ("oddness",)
NUDGE = "One sentence that is not odd is enough. Does your number show it?"
EXPLANATION = "This fits a mean over the sentences in place of the largest value."
EDITS = {".abs().max()": ".abs().mean()"}
