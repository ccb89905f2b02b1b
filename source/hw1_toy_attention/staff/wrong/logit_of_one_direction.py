"""Only patterns are counted in which XOR is above the threshold."""

FAILS = ("count_xor_patterns",)
NUDGE = "May a model answer with small numbers where the signs differ, and large ones where they do not?"
EXPLANATION = (
    "This fits a count of one direction only. A threshold splits the patterns either way round."
)
EDITS = {"(above | below).sum()": "above.sum()"}
