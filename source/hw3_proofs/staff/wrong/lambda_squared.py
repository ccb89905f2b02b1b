"""lam is squared, as if it were a singular value itself."""

FAILS = ("purifier", "purifier_from_svd")
NUDGE = "Take a single sensor: which equation for the one number W does the gradient give?"
EXPLANATION = (
    "This fits lambda squared. In L, lambda multiplies a squared norm and is no square itself."
)
EDITS = {
    "return X @ X.T @ np.linalg.inv(X @ X.T + lam": "return X @ X.T @ np.linalg.inv(X @ X.T + lam**2",
    "return U * (s**2 / (s**2 + lam))": "return U * (s**2 / (s**2 + lam**2))",
}
