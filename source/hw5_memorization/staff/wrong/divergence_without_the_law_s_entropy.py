"""The divergence is a cross-entropy: the law's own entropy is missing."""

FAILS = ("two_losses",)
NUDGE = "What is your divergence when the model gives the law itself?"
EXPLANATION = "This fits the cross-entropy of the law. The divergence is smaller by the law's entropy, and zero where the model is right; gradients are the same."
EDITS = {"(torch.xlogy(law, law) - law * logs).sum": "-(law * logs).sum"}
