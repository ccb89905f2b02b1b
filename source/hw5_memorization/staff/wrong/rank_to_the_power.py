"""The chance falls with the rank to a power."""

FAILS = ("power_unif_law",)
NUDGE = "Which one is the exponent: the rank or alpha?"
EXPLANATION = "This fits chances in proportion to (r + 1)^(-alpha), which is what a power law usually is. Here it is alpha^r, and alpha = 1 is uniform."
EDITS = {
    "torch.tensor([float(alpha) ** r for r in range(tokens.shape[-1])])": "torch.arange(1.0, tokens.shape[-1] + 1) ** -alpha"
}
