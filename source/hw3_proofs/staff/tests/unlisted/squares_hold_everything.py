"""(x.y)^2 is called the squares, and the cross terms are added to it."""

FAILS = ("features_derivation",)
WORDS = {"features_derivation": "2 of 3 waypoints are right. `squares`: line 2 is not right"}


def features_derivation():
    return [
        lambda x, y: (x @ y) ** 2 + 2 * x @ y + 1,
        ("squares", lambda x, y: (x @ y) ** 2),
        ("cross terms", lambda x, y: (x @ y) ** 2 - (x**2) @ (y**2)),
        ("linear terms", lambda x, y: 2 * x @ y),
        lambda x, y: (x @ y) ** 2 + (x**2) @ (y**2) + 2 * x @ y + 1,
    ]
