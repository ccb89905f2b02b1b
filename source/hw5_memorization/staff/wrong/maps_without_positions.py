"""Embeddings are read without their positions."""

FAILS = ("attention_maps",)
NUDGE = "Is the same token in the first place the same vector as in the second?"
EXPLANATION = (
    "This fits maps of embeddings alone: each place's vector is missing from what the heads read."
)
EDITS = {'first, second = w["W_E"] + w["W_pos"][:, None]': 'first = second = w["W_E"]'}
