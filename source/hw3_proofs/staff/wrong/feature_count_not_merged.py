"""Equal products are counted as often as they appear."""

FAILS = ("feature_dimension",)
NUDGE = "List the features for D = 2, and look for two that are always equal."
EXPLANATION = "This counts every entry of the table of products. Equal products, such as x_1 x_2 and x_2 x_1, are to be merged."
EDITS = {"(D + 1) * (D + 2) // 2": "(D + 1) ** 2"}
