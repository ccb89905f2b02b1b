"""The readout has no bias: the difference of maximum and minimum is always positive."""

FAILS = ("xor_by_hand",)
NUDGE = "How large is the difference between the largest and the smallest token when both signs are equal?"
EXPLANATION = "This fits a readout without a threshold. The difference is positive in every sentence; it has to be compared with something between 1.8 and 2."
EDITS = {"w, -1.9": "w, 0.0"}
