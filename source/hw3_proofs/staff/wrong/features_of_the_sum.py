"""phi is applied to the sum of the keys, not to each key."""

FAILS = ("kernel_attention", "kernel_attention_cost")
NUDGE = "Is phi(a + b) the same as phi(a) + phi(b)?"
EXPLANATION = "This fits a denominator with the features of the summed keys. The features of each key are to be summed: phi is not linear."
EDITS = {"z = phi_K.sum(dim=0)": "z = phi(K.sum(dim=0))"}
