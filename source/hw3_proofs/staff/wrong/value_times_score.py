"""The best value is multiplied by its score."""

FAILS = ("argmax_attention",)
NUDGE = "Double the query: should the output change?"
EXPLANATION = "This fits the value of the best key, multiplied by the key's score. It is to be handed over as it is."
EDITS = {"V[np.argmax(K @ q)]": "(K @ q).max() * V[np.argmax(K @ q)]"}
