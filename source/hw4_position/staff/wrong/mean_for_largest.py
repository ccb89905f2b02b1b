"""The mean difference in place of the largest."""

FAILS = ("swap_gap",)
NUDGE = "One pair that differs is enough. Does your number show it?"
EXPLANATION = "This fits the mean of the differences. One logit of one pair would vanish in it; the question asks for the largest."
EDITS = {".abs().max()": ".abs().mean()"}
