"""One right answer for each couple, even where both entries are equal."""

FAILS = ("ceiling",)
NUDGE = "What if the two entries of a couple happen to be the same?"
EXPLANATION = "This fits (n + n(n-1)/2) / n^2: one right answer for each couple. Where both entries are equal, one answer is right twice."
EDITS = {"(n * n + equal) / 2 / n**2": "(n + n * (n - 1) / 2) / n**2"}
