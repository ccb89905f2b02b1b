"""Scores are divided by sqrt(d), as in larger models."""

FAILS = ("attend", "easy_task", "oddness")
NUDGE = "Compare your scores with the formula: is anything divided?"
EXPLANATION = "This fits scores that were divided by the square root of the size of the keys. Many models do; this one does not."
EDITS = {"tokens @ K, queries)": "tokens @ K, queries) / queries.shape[1] ** 0.5"}
