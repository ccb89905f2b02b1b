"""The rows' mean stays in."""

FAILS = ("superposition",)
NUDGE = "What does a vector that is added to every row of U change in your cosines, and what in the probabilities?"
EXPLANATION = "This fits rows of U as they are. Their mean row changes no probability, and has to be subtracted first."
EDITS = {"rows = U - U.mean(dim=0)": "rows = U"}
