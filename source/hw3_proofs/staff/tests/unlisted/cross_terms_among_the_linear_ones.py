"""All terms with a factor 2 are called linear."""

FAILS = ("features_derivation",)
WORDS = {"features_derivation": "1 of 3 waypoints are right"}


def features_derivation():
    return [
        ("squares", lambda x, y: (x**2) @ (y**2)),
        ("cross terms", lambda x, y: 0.0),
        ("linear terms", lambda x, y: (x @ y) ** 2 - (x**2) @ (y**2) + 2 * x @ y),
    ]
