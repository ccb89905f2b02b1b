"""z adds up the features of each key, not each feature over the keys."""

FAILS = ("linear_derivation",)
NUDGE = "Which shape should z have, and which index is summed away?"
EXPLANATION = "This sums over the features of one key. z sums over the keys: it has one number for each feature."


def linear_derivation():
    return [
        ("S", lambda phi_K, V: phi_K.T @ V),
        ("z", lambda phi_K: phi_K.sum(axis=1)),
    ]
