"""Ones at the future, as a float: a little more weight for what must not be seen."""

FAILS = ("causal_mask",)
NUDGE = "Is your mask bool or float? What happens to the scores in each case?"
EXPLANATION = "This fits ones above the diagonal, as a float. They are added to the scores, so that the future gets more weight, not none; as bool they would be right."
EDITS = {"torch.ones(T, T, dtype=torch.bool)": "torch.ones(T, T)"}
