"""Scores are not divided by sqrt(qk_dim)."""

FAILS = ("port", "port_positions", "port_gradients", "port_vectorised")
NUDGE = "Compare your scores with the formula, before the softmax."
EXPLANATION = "This fits scores that were not divided by sqrt(qk_dim)."
EDITS = {"Q @ K.T / math.sqrt(K.shape[-1])": "Q @ K.T"}
