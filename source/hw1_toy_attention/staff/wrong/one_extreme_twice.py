"""Both heads pick the largest token."""

FAILS = ("xor_by_hand",)
NUDGE = "Which two tokens do your heads pick in a sentence with the signs + and -?"
EXPLANATION = "This fits two heads that pick the same token. One has to look for the largest, the other for the smallest."
EDITS = {"[[50.0], [-50.0]]": "[[50.0], [50.0]]", "[-0.25] * 4": "[0.25] * 4"}
