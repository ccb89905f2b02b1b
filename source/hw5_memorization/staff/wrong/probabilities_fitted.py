"""Probabilities are fitted, not their logarithms."""

FAILS = ("second_order",)
NUDGE = "Which numbers should the logits be equal to, up to a constant?"
EXPLANATION = (
    "This fits a covariance with the probabilities. Logits are compared with log-probabilities."
)
EDITS = {"    logs = law.log()\n    covariance": "    logs = law\n    covariance"}
