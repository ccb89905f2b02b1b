"""The scale counts sines and cosines, so that the mean is halved."""

FAILS = ("random_features",)
NUDGE = "What is sin^2 + cos^2, and how many such pairs are there?"
EXPLANATION = "This fits features that are scaled by their own number, sines and cosines. One frequency gives one cosine of a difference, so the frequencies count."
EDITS = {"math.sqrt(len(W))": "math.sqrt(2 * len(W))"}
