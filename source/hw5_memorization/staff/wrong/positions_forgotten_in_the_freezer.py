"""Positions are always trained, as in the source's freezer."""

FAILS = ("freezing",)
NUDGE = "Which weight moves although nobody named it?"
EXPLANATION = "This fits the source's freezer, which has no entry for the positions: W_pos is trained whatever is named."
EDITS = {
    "[w[name] for name in names]": '[item for name, item in w.items() if name in names or name == "W_pos"]'
}
