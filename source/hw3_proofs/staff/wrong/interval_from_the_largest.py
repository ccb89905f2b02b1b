"""The largest of the kept directions decides about the upper end."""

FAILS = ("lambda_interval",)
NUDGE = "Which of the three directions loses most as lambda grows?"
EXPLANATION = "This fits an upper end at which the strongest direction keeps 0.8. Weaker ones have to keep it, too, and the weakest of the three is the first that does not."
EDITS = {"return 1.0, 4.0": "return 1.0, 25.0"}
