"""The factors of the interval are s / (s + lam), without squares."""

FAILS = ("lambda_interval",)
NUDGE = "Compute all eight factors for a lambda in the middle of your interval."
EXPLANATION = "This fits factors s / (s + lambda), in which the singular values are not squared; they leave a single lambda."
EDITS = {"return 1.0, 4.0": "return 1.0, 1.0"}
