"""The symmetric table is the average of M and its mirror image."""

FAILS = ("symmetric_control",)
NUDGE = "Which entries of your table are those of M?"
EXPLANATION = "This fits the rounded average of M and its transpose. It is symmetric, and it is another table: on and above the diagonal it should be M."
EDITS = {"M.triu() + M.triu(1).T": "(M + M.T) // 2"}
