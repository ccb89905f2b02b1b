"""The residual stream is counted once for each head."""

FAILS = ("head_logits",)
NUDGE = "Do your parts and the residual stream's add up to the logits?"
EXPLANATION = "This fits heads' parts that each have the residual stream in them as well: it is there only once."
EDITS = {'shares, x, w["W_V"], w["W_O"])': 'shares, x, w["W_V"], w["W_O"]) + x[:, 1:]'}
