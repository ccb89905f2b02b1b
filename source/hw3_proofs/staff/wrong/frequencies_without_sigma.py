"""The frequencies are standard normal numbers, whatever sigma is."""

FAILS = ("sample_frequencies",)
NUDGE = "What in your frequencies changes when the kernel becomes wider?"
EXPLANATION = "This fits standard normal frequencies, which are right for sigma = 1 only."
EDITS = {"rng.normal(size=(D_random, D)) / sigma": "rng.normal(size=(D_random, D))"}
