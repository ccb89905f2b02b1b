"""Only patterns are counted in which XOR is above the threshold."""

import numpy as np

FAILS = ("count_xor_patterns",)
NUDGE = "May a model answer with small numbers where the signs differ, and large ones where they do not?"
EXPLANATION = (
    "This fits a count of one direction only. A threshold splits the patterns either way round."
)


def count_xor_patterns(outputs):
    outputs = np.asarray(outputs, dtype=float)
    return int((outputs[:, [1, 2]].min(axis=1) - outputs[:, [0, 3]].max(axis=1) > 1e-6).sum())
