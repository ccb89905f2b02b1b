"""One variance for all contexts."""

FAILS = ("second_order",)
NUDGE = "Do two contexts with different laws have the same variance of the rows of U?"
EXPLANATION = (
    "This fits one variance, the contexts' mean. Each context weighs tokens by its own law."
)
EDITS = {
    "torch.linalg.solve(variance, covariance)": "torch.linalg.solve(variance.mean(dim=0), covariance, left=False)"
}
