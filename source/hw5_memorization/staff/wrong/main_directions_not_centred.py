"""The log-probabilities are not centred."""

FAILS = ("principal",)
NUDGE = "Is one of your directions nearly the same number for all tokens?"
EXPLANATION = "This fits log-probabilities as they are: their mean over the tokens, which changes no probability, takes one of the directions."
EDITS = {"    logs = logs - logs.mean(dim=1, keepdim=True)\n    return": "    return"}
