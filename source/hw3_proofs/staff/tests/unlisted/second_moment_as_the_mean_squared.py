"""E[(q.k)^2] = (E[q.k])^2, so that nothing varies."""

FAILS = ("variance_derivation",)
WORDS = {
    "variance_derivation": r"1 of 3 waypoints are right. `E\[\(q.k\)\^2\]`: line 1 is not right"
}


def variance_derivation():
    return [
        ("E[(q.k)^2]", lambda mu, d: (d * mu**2) ** 2),
        ("(E[q.k])^2", lambda mu, d: (d * mu**2) ** 2),
        ("Var[q.k]", lambda mu, d: 0.0),
    ]
