"""The features lack the products of different coordinates."""

FAILS = ("quadratic_features", "feature_dimension")
NUDGE = "Take D = 2: write down every term of the square, and look for a feature that makes it."
EXPLANATION = "This fits features without products of two different coordinates. They are needed as soon as D is 2."
EDITS = {"x**2, root * x[..., i] * x[..., j]": "x**2", "(D + 1) * (D + 2) // 2": "2 * D + 1"}
