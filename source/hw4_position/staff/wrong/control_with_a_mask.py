"""The control without a mask is trained with one."""

FAILS = ("no_mask_control",)
NUDGE = "What is the one thing that this control takes away?"
EXPLANATION = "This fits two layers that were trained with the causal mask: without it, as the grader runs them, they know little."
EDITS = {
    "return train_table(lambda pairs: table_logits(model, pairs, True, None)": "return train_table(lambda pairs: table_logits(model, pairs, True, causal_mask(3))"
}
