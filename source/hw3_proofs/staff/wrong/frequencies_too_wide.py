"""The frequencies have the kernel's variance, not its inverse."""

FAILS = ("sample_frequencies",)
NUDGE = "Think of a very large sigma: how fast may the features change from one point to the next?"
EXPLANATION = "This fits frequencies from N(0, sigma^2 I), as some papers print it. A wide kernel has low frequencies, so the variance is the inverse."
EDITS = {"rng.normal(size=(D_random, D)) / sigma": "sigma * rng.normal(size=(D_random, D))"}
