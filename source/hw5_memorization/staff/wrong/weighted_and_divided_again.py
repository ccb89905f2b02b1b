"""Divergences are weighted by probabilities that add up to 1, and a mean is taken of the products."""

FAILS = ("uneven",)
NUDGE = "The probabilities of the contexts add up to 1. What does a mean do to a sum?"
EXPLANATION = "This fits a loss that is divided by the number of contexts once more, after each was weighted by its probability."
EDITS = {"return (each * chances).sum()": "return (each * chances).mean()"}
