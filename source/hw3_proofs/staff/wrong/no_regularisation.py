"""The regularisation is left out, so that all data is reproduced."""

FAILS = ("purifier", "purifier_from_svd")
NUDGE = "What should become of your matrix when lambda is very large?"
EXPLANATION = (
    "This fits lambda = 0: your matrix reproduces the data, and does not depend on lambda."
)
EDITS = {
    "return X @ X.T @ np.linalg.inv(X @ X.T + lam * np.eye(len(X)))": "return X @ X.T @ np.linalg.pinv(X @ X.T)",
    "return U * (s**2 / (s**2 + lam))": "return U",
}
