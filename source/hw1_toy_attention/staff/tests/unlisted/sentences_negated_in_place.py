"""The sentences change their sign in place, and back, behind what shows a part of them."""

FAILS = ("oddness",)
WORDS = {"oddness": "x\\[:, 0, 0\\]"}
EDITS = {
    "return (logit(tokens) + logit(-tokens) - 2 * b).abs().max()": """here = logit(tokens)
    there = logit(tokens.neg_())
    tokens.neg_()
    return (here + there - 2 * b).abs().max()""",
}
