"""The diagonal is added twice."""

FAILS = ("symmetric_control",)
NUDGE = "Look at the diagonal of the table that you return."
EXPLANATION = "This fits upper triangle plus its transpose with the diagonal in both: there it is counted twice."
EDITS = {"M.triu() + M.triu(1).T": "(M.triu() + M.triu().T) % len(M)"}
