"""The scores are used as weights, without a softmax."""

FAILS = ("port", "port_positions", "port_gradients", "port_vectorised")
NUDGE = "Do the weights of a query sum to one?"
EXPLANATION = "This fits scores that were used as weights without a softmax."
EDITS = {"F.softmax(scores, dim=-1) @ V": "scores @ V"}
