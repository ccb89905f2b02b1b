"""The larger end of the interval comes first."""

FAILS = ("lambda_interval",)
NUDGE = "Which of the two ends is to be returned first?"
EXPLANATION = "Both ends are there, in the wrong order: (low, high) is asked for."
EDITS = {"return 1.0, 4.0": "return 4.0, 1.0"}
