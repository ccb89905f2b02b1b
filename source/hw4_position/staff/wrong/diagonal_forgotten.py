"""Entries on the diagonal are taken for halves."""

FAILS = ("ceiling",)
NUDGE = "How many right answers does a pair (i, i) give?"
EXPLANATION = "This fits a count in which an entry of the diagonal gives half a right answer. It is its own mirror image, and always right."


def ceiling(M):
    n, right = len(M), 0.0
    for i in range(n):
        for j in range(n):
            right += 1.0 if i != j and M[i, j] == M[j, i] else 0.5
    return right / n**2
