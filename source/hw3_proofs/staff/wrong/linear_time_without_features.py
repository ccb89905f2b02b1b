"""The linear form's time counts inputs in place of features."""

FAILS = ("costs",)
NUDGE = "How many rows does the matrix S have?"
EXPLANATION = "This fits a time in which the features' number C is replaced by the inputs' width D."
EDITS = {"return N * C * M": "return N * D * M"}
