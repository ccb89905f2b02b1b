"""The right token is found, but the softmax is too soft for the tolerance."""

FAILS = ("identity", "copy_first")
NUDGE = "How much weight is left on the wrong tokens?"
EXPLANATION = "The scores are too small: the softmax leaves more weight on wrong tokens than the tolerance allows."
EDITS = {"20 * np.eye(3)": "4 * np.eye(3)", "Km[3] = 20": "Km[3] = 4"}
