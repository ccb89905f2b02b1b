"""The spectral norm, not Frobenius'."""

FAILS = ("gauge",)
NUDGE = "Which norm is asked?"
EXPLANATION = "This fits the largest singular value of the difference of the projectors. Frobenius' norm is the root of the sum of all squares."
EDITS = {"bases[1] @ bases[1].T)": "bases[1] @ bases[1].T, ord=2)"}
