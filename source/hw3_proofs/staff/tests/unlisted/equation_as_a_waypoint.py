"""A waypoint that is an equation."""

FAILS = ("purifier_derivation",)
WORDS = {
    "purifier_derivation": "line 3 is an equation; a waypoint is a value|may ask for X, lam only"
}


def purifier_derivation():
    return [
        ("gradient of the reconstruction loss", lambda X, W: -2 * (X - W @ X) @ X.T),
        ("gradient of the regularisation loss", lambda W, lam: 2 * lam * W),
        ("A", lambda X, W, lam: (W @ X @ X.T + lam * W, X @ X.T)),
    ]
