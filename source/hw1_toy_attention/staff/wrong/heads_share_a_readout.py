"""All heads are read out with the first head's weights."""

FAILS = ("xor_trained",)
NUDGE = "Which indices does w have, and which of them does your product use?"
EXPLANATION = "This fits heads that share one readout: then the model cannot take the smallest token from the largest."
EDITS = {'mhk->mn", weights, tokens, w)': 'mk->mn", weights, tokens, w[:, 0])'}
