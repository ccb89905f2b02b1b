"""Sines and cosines are not scaled by the number of frequencies."""

FAILS = ("random_features",)
NUDGE = "What is phi(x).phi(x), and what should it be?"
EXPLANATION = (
    "This fits a sum over the frequencies where their mean belongs: the features are not scaled."
)
EDITS = {"dim=-1) / math.sqrt(len(W))": "dim=-1)"}
