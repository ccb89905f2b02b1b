"""Ones where looking is allowed, as a float: they are added to the scores."""

FAILS = ("causal_mask",)
NUDGE = "What does a float mask do to the scores? Which number makes a weight exactly zero?"
EXPLANATION = "This fits the mask of the note, ones on and below the diagonal. A float mask is added to the scores: one more for the past blocks nothing, and on the fast path it is read the other way round."
EDITS = {"torch.ones(T, T, dtype=torch.bool).triu(1)": "torch.tril(torch.ones(T, T))"}
