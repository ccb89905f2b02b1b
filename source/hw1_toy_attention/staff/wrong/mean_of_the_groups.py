"""The means of the two groups are compared."""

import numpy as np

FAILS = ("count_xor_patterns",)
NUDGE = "Is there a threshold between 0, 3 on one side and 1, 4 on the other?"
EXPLANATION = "This fits a comparison of the groups' means. A threshold splits them only if all of one group lie beyond all of the other."


def count_xor_patterns(outputs):
    outputs = np.asarray(outputs, dtype=float)
    gap = outputs[:, [1, 2]].mean(axis=1) - outputs[:, [0, 3]].mean(axis=1)
    return int((abs(gap) > 1e-6).sum())
