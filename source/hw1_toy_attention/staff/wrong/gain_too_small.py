"""The scores are so small that the softmax averages in place of choosing."""

FAILS = ("xor_by_hand",)
NUDGE = "Print the weights of your two heads for a sentence with the signs + and -."
EXPLANATION = "This fits queries that are too small: the heads average instead of picking the largest and the smallest token."
EDITS = {"[[50.0], [-50.0]]": "[[1.0], [-1.0]]"}
