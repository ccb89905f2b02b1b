"""A bool mask that is True where looking is allowed."""

FAILS = ("causal_mask",)
NUDGE = "What does True mean in a bool mask of nn.TransformerEncoder?"
EXPLANATION = "This fits a bool mask that is True where looking is allowed, as scaled_dot_product_attention has it. nn.TransformerEncoder reads True as not allowed, so the last position has nothing to look at."
EDITS = {"dtype=torch.bool).triu(1)": "dtype=torch.bool).tril()"}
