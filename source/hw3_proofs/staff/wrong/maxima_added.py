"""The maximum of two blocks is taken to be the sum of both."""

import numpy as np

FAILS = ("merge_derivation",)
NUDGE = "The largest of the scores 3, 5 and the largest of 4, 1: what is the largest of all four?"
EXPLANATION = (
    "This fits the sum of both maxima. The largest of all scores is the larger of the two."
)


def merge_derivation():
    return [
        ("new maximum", lambda m1, m2: m1 + m2),
        ("rescaled denominator", lambda m1, l1, m2, l2: np.exp(-m2) * l1 + np.exp(-m1) * l2),
        ("rescaled numerator", lambda m1, o1, m2, o2: np.exp(-m2) * o1 + np.exp(-m1) * o2),
    ]
