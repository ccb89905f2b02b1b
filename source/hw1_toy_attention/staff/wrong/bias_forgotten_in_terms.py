"""The bias is left out of the terms."""

FAILS = ("terms",)
NUDGE = "What becomes of beta when both sides are multiplied by the denominator?"
EXPLANATION = "This fits terms without beta. Multiplied by the denominator, beta becomes a sum, too: each token takes e^s beta of it."
EDITS = {"(tokens @ w + b)": "(tokens @ w)"}
