"""Directions of the probabilities are returned."""

FAILS = ("principal",)
NUDGE = "Which numbers of a law of rank d have rank d: probabilities, or their logarithms?"
EXPLANATION = "This fits the main directions of the probabilities. The log-probabilities are what a model's scores should be."
EDITS = {"    logs = law.log()\n    logs = logs - logs": "    logs = law\n    logs = logs - logs"}
