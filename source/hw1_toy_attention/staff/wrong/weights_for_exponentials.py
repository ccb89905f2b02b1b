"""A softmax stands where the exponential should: a term then depends on the other tokens."""

FAILS = ("terms",)
NUDGE = "Change the last token of a sentence: which of your terms should change?"
EXPLANATION = "This fits softmax weights times w . x + b: their denominator has the other tokens in it. Multiplied by it, only the exponential is left."
EDITS = {"torch.exp(tokens @ K @ q)": "torch.softmax(tokens @ K @ q, dim=1)"}
