"""The heads' sum is looked at, not each head."""

FAILS = ("promoted",)
NUDGE = "A strong head can outvote a weak one in a sum. What does `every head` ask for?"
EXPLANATION = (
    "This fits tokens that the heads' sum promotes. Every head alone has to promote the token."
)
EDITS = {
    "(above[tokens == token].mean(dim=0) > 0).all(dim=0)": "above[tokens == token].mean(dim=0).sum(dim=0) > 0"
}
