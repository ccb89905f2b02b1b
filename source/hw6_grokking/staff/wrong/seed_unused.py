"""The seed is not used."""

FAILS = ("initial_weights",)
NUDGE = "What becomes of the argument `seed`?"
EXPLANATION = "This fits weights that are drawn without the seed, as in the source: its DATA_SEED is set and never used."
EDITS = {", generator=generator": ""}
