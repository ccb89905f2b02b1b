"""What is to be left out is there while the model is trained."""

FAILS = ("uneven",)
NUDGE = "Which model do you train when `skips` names a part, and which one is tried afterwards?"
EXPLANATION = (
    "This fits training that takes no notice of `skips`: the model is trained with all its parts."
)
EDITS = {"logits = attention_only(w, contexts, skips)": "logits = attention_only(w, contexts)"}
