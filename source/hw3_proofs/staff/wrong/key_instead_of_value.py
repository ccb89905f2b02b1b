"""The best key itself is returned, not its value."""

FAILS = ("argmax_attention",)
NUDGE = "What is found by its key: what is handed over?"
EXPLANATION = "This fits the best key in place of its value."
EDITS = {"V[np.argmax(K @ q)]": "K[np.argmax(K @ q)]"}
