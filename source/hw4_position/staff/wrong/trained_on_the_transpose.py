"""Rows and columns of the table are exchanged."""

FAILS = ("train_table",)
NUDGE = "Which entry of M is the answer to the pair (3, 7), and which one does your training use?"
EXPLANATION = (
    "This fits a model that learned M turned round: it answers (i, j) with the entry of (j, i)."
)
EDITS = {"M.flatten()": "M.T.flatten()"}
