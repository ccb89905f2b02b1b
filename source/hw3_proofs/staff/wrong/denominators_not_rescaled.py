"""Of two blocks, denominators and numerators are added as they are, in the derivation."""

import numpy as np

FAILS = ("merge_derivation",)
NUDGE = "Do the exponents of both blocks have the same maximum?"
EXPLANATION = "This fits sums that are not rescaled. The exponents of each block have its own maximum: bring them to the new one first."


def merge_derivation():
    return [
        ("new maximum", lambda m1, m2: np.maximum(m1, m2)),
        ("rescaled denominator", lambda l1, l2: l1 + l2),
        ("rescaled numerator", lambda o1, o2: o1 + o2),
    ]
