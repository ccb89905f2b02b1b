"""Scores are divided by their variance, not by their standard deviation."""

FAILS = ("scale",)
NUDGE = "What becomes of the variance of a number that is divided by s?"
EXPLANATION = "This fits d, the variance of the score. Dividing by s divides the variance by s^2."
EDITS = {"return math.sqrt(d)": "return d"}
