"""The mean of one product of coordinates is given for that of their sum."""

FAILS = ("dot_mean",)
NUDGE = "How many products does q.k add up?"
EXPLANATION = (
    "This fits the mean of a single product q_i k_i. The score adds up one for each coordinate."
)
EDITS = {"return d * mu**2": "return mu**2"}
