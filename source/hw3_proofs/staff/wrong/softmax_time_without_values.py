"""The time of softmax attention counts the scores, and not the weighted sums of values."""

FAILS = ("costs",)
NUDGE = "What is done with the N^2 weights after the softmax?"
EXPLANATION = "This counts the scores of softmax attention, and not the sums of values that they weigh, which may be wider."
EDITS = {"N**2 * max(D, M)": "N**2 * D"}
