"""The difference of the two logits is taken, which is zero for an even function."""

FAILS = ("oddness",)
NUDGE = "An odd function has f(-x) = -f(x). Which combination of the two is then zero?"
EXPLANATION = (
    "This fits l(X) - l(-X), which measures how far a function is from even, not from odd."
)
EDITS = {"logit(tokens) + logit(-tokens) - 2 * b": "logit(tokens) - logit(-tokens)"}
