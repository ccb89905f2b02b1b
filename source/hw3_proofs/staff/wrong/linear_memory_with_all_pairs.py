"""The memory of the linear form still has a number for each pair."""

FAILS = ("costs",)
NUDGE = "Which matrix of the linear form has N^2 entries?"
EXPLANATION = (
    "This counts N^2 numbers for the linear form. The matrix of all pairs is what it does without."
)
EDITS = {"N * C + C * M + N * M": "N**2 + N * C + C * M"}
UNSEEN = {"costs": "the notebook counts operations of the linear form, and not its memory"}
