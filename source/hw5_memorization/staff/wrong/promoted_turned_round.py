"""Rows are the promoted tokens."""

FAILS = ("promoted",)
NUDGE = "In the cell [k, t], which token follows?"
EXPLANATION = "This fits a table that is turned round: rows should be the tokens that follow, and columns those that are promoted."
EDITS = {"    return table\n": "    return table.mT\n"}
