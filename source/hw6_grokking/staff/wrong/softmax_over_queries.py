"""The softmax runs over the positions that look, not over those that are looked at."""

FAILS = ("naive_forward",)
NUDGE = "Which weights of one position sum to one?"
EXPLANATION = (
    "This fits a softmax over the queries: the weights that a position gives do not sum to one."
)
EDITS = {".softmax(dim=-1) @ v": ".softmax(dim=-2) @ v"}
