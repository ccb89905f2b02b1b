"""Each feature is divided by the number of frequencies, so that the product is divided by its square."""

FAILS = ("random_features",)
NUDGE = "Each product has the scale of two features. What is phi(x).phi(x), and what should it be?"
EXPLANATION = "This fits features that are each divided by the number of frequencies: their products are then divided twice."
EDITS = {"math.sqrt(len(W))": "len(W)"}
