"""Scores are divided by the square root of the wrong size."""

FAILS = ("port", "port_positions", "port_gradients", "port_vectorised")
NUDGE = "Which size does the formula divide by the root of?"
EXPLANATION = "This fits scores divided by sqrt of the input's width instead of sqrt(qk_dim)."
EDITS = {"math.sqrt(K.shape[-1])": "math.sqrt(seq.shape[-1])"}
