"""The mean is not subtracted in the covariance."""

FAILS = ("second_order",)
NUDGE = "What is the covariance with something that is always the same?"
EXPLANATION = "This fits the mean of a product in place of a covariance: the product of the means is not subtracted."
EDITS = {" - (law * logs).sum(dim=1, keepdim=True) * mean": ""}
