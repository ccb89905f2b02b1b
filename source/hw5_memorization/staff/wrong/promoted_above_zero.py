"""The mean over all tokens is not subtracted."""

FAILS = ("promoted",)
NUDGE = "What happens to your table when 100 is added to everything that a head gives, and what to the probabilities?"
EXPLANATION = "This fits tokens whose part is above zero. A head promotes a token whose part is above the mean of all tokens."
EDITS = {"above = parts - parts.mean(dim=2, keepdim=True)": "above = parts"}
