"""The control without a mask is trained with one."""

FAILS = ("no_mask_control",)
NUDGE = "What is the one thing that this control takes away?"
EXPLANATION = "This fits two layers that were trained with the causal mask: without it, as the grader runs them, they know little."


def no_mask_control(model, M, steps):
    mask = causal_mask(3)
    return train_table(
        lambda pairs: table_logits(model, pairs, True, mask), list(model.parameters()), M, steps
    )
