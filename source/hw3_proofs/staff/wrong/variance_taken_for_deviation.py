"""The variance of the frequencies is taken for their standard deviation."""

FAILS = ("sample_frequencies",)
NUDGE = "Does numpy's `scale` ask for a variance or for a standard deviation?"
EXPLANATION = "This fits numbers that were divided by sigma twice: the variance was used as a standard deviation."
EDITS = {"normal(size=(D_random, D)) / sigma": "normal(scale=sigma**-2, size=(D_random, D))"}
