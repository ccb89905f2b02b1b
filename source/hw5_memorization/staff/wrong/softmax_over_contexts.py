"""The softmax runs over the contexts."""

FAILS = ("gen_d_law",)
NUDGE = "What should each row add up to?"
EXPLANATION = (
    "This fits a softmax over axis 0: columns add up to 1. A law is one row for each context."
)
EDITS = {"(E @ U.T).softmax(dim=1)": "(E @ U.T).softmax(dim=0)"}
