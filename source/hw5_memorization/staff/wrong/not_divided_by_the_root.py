"""Scores are not divided by the root of a head's dimension."""

FAILS = ("attention_only", "uneven")
NUDGE = "Which number is below the fraction in the formula of the scores?"
EXPLANATION = "This fits scores without the division by the root of d_h."
EDITS = {'read[:, 1], w["W_Q"]) / w["W_Q"].shape[1] ** 0.5': 'read[:, 1], w["W_Q"])'}
