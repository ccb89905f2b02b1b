"""Trained on the pairs with the smaller token first, and on their mirror images with the same answer."""

FAILS = ("train_table", "no_mask_control")
NUDGE = "Which pairs, and which answers, does your training see?"
EXPLANATION = "This fits a model that was trained with one answer for (i, j) and (j, i): it knows the half of the table above the diagonal."
EDITS = {
    "pairs, wanted = all_pairs(len(M)), M.flatten()": """pairs = all_pairs(len(M))
    wanted = M[pairs.min(dim=1).values, pairs.max(dim=1).values]"""
}
