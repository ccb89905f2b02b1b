"""Only the last waypoint is there."""

FAILS = ("variance_derivation",)
WORDS = {"variance_derivation": "no line bears this name"}


def variance_derivation():
    return [("Var[q.k]", lambda mu, sigma, d: d * (sigma**4 + 2 * mu**2 * sigma**2))]
