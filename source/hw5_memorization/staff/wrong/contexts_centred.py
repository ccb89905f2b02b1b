"""The mean over the contexts is subtracted, as in a principal component analysis."""

FAILS = ("principal",)
NUDGE = "The mean of which axis changes no probability?"
EXPLANATION = "This fits log-probabilities less their mean over the contexts, as in a principal component analysis. The mean over the tokens of each context has to be subtracted."
EDITS = {
    "logs = logs - logs.mean(dim=1, keepdim=True)\n    return": "logs = logs - logs.mean(dim=0)\n    return"
}
