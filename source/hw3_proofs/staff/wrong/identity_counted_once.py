"""The regularisation loss of the identity is taken to be lam, as if its norm were 1."""

FAILS = ("purification_losses",)
NUDGE = "How many entries of the identity are not zero?"
EXPLANATION = "This fits a squared norm of 1 for the identity. The Frobenius norm adds up the squares of all entries, and here two of them are 1."
EDITS = {"0.0, 2 * lam": "0.0, lam"}
