"""The zeros stand in front of the tokens."""

FAILS = ("table_logits", "symmetric_control", "no_mask_control")
NUDGE = "Where do the zeros belong, in front of the tokens or behind them?"
EXPLANATION = "This fits a pad in front of the tokens: then the last position is the second token."
EDITS = {"(0, 0, 0, 1)": "(0, 0, 1, 0)"}
