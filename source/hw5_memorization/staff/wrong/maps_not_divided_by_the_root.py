"""The maps' scores are not divided by the root of a head's dimension."""

FAILS = ("attention_maps",)
NUDGE = "Which number is below the fraction in the formula of the scores?"
EXPLANATION = "This fits maps from scores without the division by the root of d_h."
EDITS = {'w["W_K"] / w["W_Q"].shape[1] ** 0.5  # (H, N, d)': 'w["W_K"]'}
