"""The control without a mask is trained with one."""

FAILS = ("no_mask_control",)
NUDGE = "What is the one thing that this control takes away?"
EXPLANATION = "This fits two layers that were trained with the causal mask: without it, as the grader runs them, they know little."
EDITS = {"None), parameters, M, steps)": "causal_mask(3)), parameters, M, steps)"}
