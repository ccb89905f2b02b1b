"""Both heads pick the largest token."""

import numpy as np

FAILS = ("xor_by_hand",)
NUDGE = "Which two tokens do your heads pick in a sentence with the signs + and -?"
EXPLANATION = "This fits two heads that pick the same token. One has to look for the largest, the other for the smallest."


def xor_by_hand():
    queries = np.array([[50.0], [50.0]])
    return queries, np.full((4, 1), 0.25), np.array([[0.25] * 4, [0.25] * 4]), -1.9
