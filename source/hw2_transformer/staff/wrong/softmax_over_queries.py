"""The softmax runs down the columns: over queries instead of over keys."""

FAILS = ("port", "port_positions", "port_gradients", "port_vectorised")
NUDGE = "Which entries of the matrix of weights have to sum to one?"
EXPLANATION = (
    "This fits a softmax over the queries: each column of weights sums to one instead of each row."
)
EDITS = {"F.softmax(scores, dim=-1)": "F.softmax(scores, dim=0)"}
