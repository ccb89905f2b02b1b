"""Only the keys lose what is skipped; queries keep it."""

FAILS = ("attention_only",)
NUDGE = "Which two of the three read what is skipped for QK?"
EXPLANATION = "This fits a switch that acts on keys alone. A part that is skipped for QK is missing in queries, too."
EDITS = {'read[:, 1], w["W_Q"]': 'tokens[:, 1] + places[:, 1], w["W_Q"]'}
