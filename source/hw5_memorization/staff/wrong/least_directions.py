"""The least directions are returned."""

FAILS = ("principal",)
NUDGE = "In which order does torch return singular values?"
EXPLANATION = (
    "This fits the d directions with the smallest singular values. The largest come first."
)
EDITS = {".Vh[:d].T": ".Vh[-d:].T"}
