"""A large negative number is added to the scores of what comes later: enough until scores are larger."""

FAILS = ("causal_mask",)
NUDGE = "How large may a score be before it makes up for what your mask adds?"
EXPLANATION = "This fits a finite number such as -100: its weight is tiny as long as scores are small, and not zero. Minus infinity, or a bool mask, leaves nothing whatever the scores are."
EDITS = {"torch.ones(T, T, dtype=torch.bool)": "torch.full((T, T), -100.0)"}
