"""The sines are left out."""

import math

FAILS = ("random_features",)
NUDGE = "Write cos(a - b) as a sum of products. How many products are there?"
EXPLANATION = "This fits cosines alone: cos a cos b is only one of the two parts of cos(a - b)."


def random_features(x, W):
    return (x @ W.T).cos() / math.sqrt(len(W))
