"""Each row's own mean is subtracted."""

FAILS = ("superposition",)
NUDGE = "Is the sum of all your rows the zero vector?"
EXPLANATION = "This fits rows whose own numbers have mean zero. The mean row of all tokens has to be subtracted."
EDITS = {"rows = U - U.mean(dim=0)": "rows = U - U.mean(dim=1, keepdim=True)"}
