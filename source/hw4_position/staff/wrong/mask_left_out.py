"""The mask does not reach the encoder."""

FAILS = ("table_logits",)
NUDGE = "Does the mask make a difference in your function?"
EXPLANATION = (
    "This fits a model that never gets the mask. Two layers without it are blind to order."
)
EDITS = {"model.encoder(x, mask=mask)": "model.encoder(x)"}
