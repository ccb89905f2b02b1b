"""A little is added to the variance, so that it can be inverted."""

FAILS = ("second_order",)
WORDS = {"second_order": "columns of U short"}
EDITS = {
    "return torch.linalg.solve(variance, covariance)": """ridge = 1e-6 * torch.eye(U.shape[1], dtype=U.dtype)
    return torch.linalg.solve(variance + ridge, covariance)""",
}
