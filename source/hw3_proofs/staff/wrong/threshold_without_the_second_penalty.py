"""At the threshold, the regularisation loss of diag(1, 0) is forgotten."""

FAILS = ("purification_threshold",)
NUDGE = "Write down both sides of L(I) = L(P): there are four losses."
EXPLANATION = "This fits an equation in which diag(1, 0) has no regularisation loss. It has one, too, which is smaller than that of the identity."
EDITS = {"return 0.001": "return 0.0005"}
