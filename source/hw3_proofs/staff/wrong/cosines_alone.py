"""The sines are left out."""

FAILS = ("random_features",)
NUDGE = "Write cos(a - b) as a sum of products. How many products are there?"
EXPLANATION = "This fits cosines alone: cos a cos b is only one of the two parts of cos(a - b)."
EDITS = {"torch.cat([angles.sin(), angles.cos()], dim=-1)": "angles.cos()"}
