"""The mean is not subtracted in the variance."""

FAILS = ("second_order",)
NUDGE = "What is the variance of a vector that is always the same?"
EXPLANATION = "This fits the second moment of the rows of U in place of their variance: their mean is not subtracted."
EDITS = {' - torch.einsum("nd,ne->nde", mean, mean)': ""}
