"""copy_first lets only the first position ask: the others attend to everything."""

FAILS = ("copy_first",)
NUDGE = "Who has to find the first token: the first position, or all of them?"
EXPLANATION = (
    "Only the query of position 0 is not zero, so all other positions attend to everything equally."
)
EDITS = {"Qm[3:] = 1": "Qm[3] = 1"}
