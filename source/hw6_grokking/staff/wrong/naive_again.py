"""The fast form is the naive one, read at the last position."""

FAILS = ("fast_cost",)
NUDGE = "How many rows go through the neurons for one pair?"
EXPLANATION = "This fits the naive form of which only the last position is returned: everything else was computed all the same."


def fast_forward(w, pairs):
    return naive_forward(w, pairs)[:, -1]
