"""x_i x_j and x_j x_i are merged into one term, whose factor 2 is lost."""

from itertools import combinations

FAILS = ("features_derivation", "quadratic_features")
NUDGE = "Count all terms of (a + b)^2."
EXPLANATION = "This fits products of different coordinates that were counted once. Each of them appears twice in the square."
EDITS = {"root * x[..., i]": "x[..., i]"}


def features_derivation():
    return [
        lambda x, y: (x @ y) ** 2 + 2 * x @ y + 1,
        ("squares", lambda x, y: (x**2) @ (y**2)),
        ("cross terms", lambda x, y: sum(a * b for a, b in combinations(x * y, 2))),
        ("linear terms", lambda x, y: 2 * x @ y),
    ]
