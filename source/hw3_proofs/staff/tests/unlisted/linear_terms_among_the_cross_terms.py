"""The products with 1 are counted half as cross terms, half as linear ones."""

FAILS = ("features_derivation",)
WORDS = {"features_derivation": "1 of 3 waypoints are right"}


def features_derivation():
    return [
        ("squares", lambda x, y: (x**2) @ (y**2)),
        ("cross terms", lambda x, y: (x @ y) ** 2 - (x**2) @ (y**2) + x @ y),
        ("linear terms", lambda x, y: x @ y),
    ]
