"""Every seed draws the weights of seed 0."""

FAILS = ("initial_weights",)
WORDS = {"initial_weights": "the same for two seeds"}
EDITS = {"manual_seed(seed)": "manual_seed(0)"}
