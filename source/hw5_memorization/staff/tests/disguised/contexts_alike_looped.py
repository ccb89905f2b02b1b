"""As contexts_alike, in a loop."""

import math

MISTAKE = "contexts_alike"
FAILS = ("entropy",)


def entropy(laws):
    found = []
    for rows in laws[2].tolist():
        for row in rows:
            found.append(-sum(p * math.log(p) for p in row if p > 0))
    return sum(found) / len(found)
