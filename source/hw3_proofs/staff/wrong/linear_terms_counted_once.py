"""The linear terms lack their factor 2."""

FAILS = ("features_derivation", "quadratic_features")
NUDGE = "What is (a + 1)^2, and how large is the middle term?"
EXPLANATION = "This fits linear terms that were counted once. In the square of a sum, the product of its two parts appears twice."
EDITS = {"[one, root * x": "[one, x"}


def features_derivation():
    return [
        lambda x, y: (x @ y) ** 2 + 2 * x @ y + 1,
        ("squares", lambda x, y: (x**2) @ (y**2)),
        ("cross terms", lambda x, y: (x @ y) ** 2 - (x**2) @ (y**2)),
        ("linear terms", lambda x, y: x @ y),
    ]
