"""Half of all pairs, and the diagonal once more: the formula of the note."""

FAILS = ("ceiling",)
NUDGE = "Try your formula on a table of 1 x 1, and on one that is symmetric."
EXPLANATION = "This fits 1/2 + n/n^2: the diagonal is counted one and a half times, entries that are equal by chance are not looked at, and the table plays no part in it."
EDITS = {"(n * n + equal) / 2 / n**2": "0.5 + n / n**2"}
