"""The scores of the stacked models are divided by sqrt(d), as in larger models."""

FAILS = ("xor_trained",)
NUDGE = "Compare your scores with the formula: is anything divided?"
EXPLANATION = "This fits scores that were divided by the square root of the size of the keys. Many models do; this one does not."
EDITS = {"keys, queries)": "keys, queries) / queries.shape[-1] ** 0.5"}
