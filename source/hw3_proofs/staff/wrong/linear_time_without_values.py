"""The time of the linear form counts the features, and not their products with the values."""

FAILS = ("costs",)
NUDGE = "How many multiplications does one entry of S take, and how many entries has it?"
EXPLANATION = "This counts the features of all rows. S multiplies each of them with each coordinate of a value."
EDITS = {"return N * C * M": "return N * C"}
