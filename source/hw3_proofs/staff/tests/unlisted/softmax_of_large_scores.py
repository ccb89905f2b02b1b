"""A softmax of the scores times 10,000 takes the place of the maximum."""

FAILS = ("argmax_attention",)
WORDS = {"argmax_attention": "none of the values"}
EDITS = {
    "return V[np.argmax(K @ q)]": """weights = np.exp(1e4 * (K @ q - (K @ q).max()))
    return weights / weights.sum() @ V""",
}
