"""The oddness does not take the bias off."""

FAILS = ("oddness",)
NUDGE = "What is l(X) + l(-X) for a logit that is nothing but the bias?"
EXPLANATION = "This fits |l(X) + l(-X)|: the bias is in both logits, so 2 beta has to be taken off."
EDITS = {"logit(-tokens) - 2 * b": "logit(-tokens)"}
