"""The bias is added to each term, without the exponential."""

FAILS = ("terms",)
NUDGE = "What becomes of beta when both sides are multiplied by the denominator?"
EXPLANATION = "This fits e^s (w . x) + beta: beta has to be multiplied by the denominator like everything else."
EDITS = {"(tokens @ w + b)": "(tokens @ w) + b"}
