"""Waypoints that are sample means."""

FAILS = ("variance_derivation",)
WORDS = {"variance_derivation": "asks for q, and may ask for mu, sigma, d only"}


def variance_derivation():
    return [
        ("E[(q.k)^2]", lambda q, k: ((q * k).sum(axis=1) ** 2).mean()),
        ("(E[q.k])^2", lambda q, k: (q * k).sum(axis=1).mean() ** 2),
        ("Var[q.k]", lambda q, k: (q * k).sum(axis=1).var()),
    ]
