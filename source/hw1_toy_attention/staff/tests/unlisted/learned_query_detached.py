"""The learned query is cut off from the gradient."""

FAILS = ("oddness",)
WORDS = {"oddness": "gradient with respect to q"}
EDITS = {
    "z, _ = attend(tokens, q.expand(len(tokens), -1), K)": "z, _ = attend(tokens, q.detach().expand(len(tokens), -1), K)",
}
