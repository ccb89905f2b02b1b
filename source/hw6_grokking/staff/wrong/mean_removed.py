"""The kept part has lost the mean."""

FAILS = ("keep_and_remove",)
NUDGE = "What is the mean of each column of `kept`?"
EXPLANATION = "This fits a kept part without the mean of the embedding. Both parts have it."
EDITS = {"((alone, mean), (spectrum - alone, 0))": "((alone, 0), (spectrum - alone, 0))"}
