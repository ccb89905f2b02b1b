"""E[q_i k_i] is taken for E[q_i^2], as if q and k were the same vector."""

FAILS = ("dot_mean",)
NUDGE = "Is k_i the same random number as q_i?"
EXPLANATION = "This fits E[q_i^2] in place of E[q_i k_i]. The two numbers are independent, so the mean of their product does not depend on how they spread."
EDITS = {"return d * mu**2": "return d * (mu**2 + sigma**2)"}
