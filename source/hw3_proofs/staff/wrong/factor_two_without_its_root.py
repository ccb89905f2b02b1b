"""Features carry the factor 2 of their term, not its root, so that the product carries 4."""

FAILS = ("quadratic_features",)
NUDGE = "A feature meets itself in the product phi(x).phi(y). What becomes of its factor?"
EXPLANATION = "This fits features with the factor 2 of their term. The factor is in phi(x) and in phi(y), so it is squared in the product."
EDITS = {"root = math.sqrt(2)": "root = 2"}
