"""The rows themselves are returned, not their number."""

import numpy as np

FAILS = ("count_xor_patterns",)
WORDS = {"count_xor_patterns": "one number"}


def count_xor_patterns(outputs):
    outputs = np.asarray(outputs, dtype=float)
    return outputs[:, [1, 2]].min(axis=1) > outputs[:, [0, 3]].max(axis=1)
