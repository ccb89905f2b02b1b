"""The feature that is 1 for every x is missing."""

FAILS = ("quadratic_features", "feature_dimension")
NUDGE = "What should phi(x).phi(y) be for x = 0?"
EXPLANATION = "This fits features without the constant one: for x = 0 the similarity is 1, not 0."
EDITS = {"[one, root * x": "[root * x", "(D + 1) * (D + 2) // 2": "D * (D + 3) // 2"}
