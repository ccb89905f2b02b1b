"""Each context has to promote the token, not the mean of the contexts."""

FAILS = ("promoted",)
NUDGE = "Is the mean taken before the signs are looked at, or after?"
EXPLANATION = "This fits tokens that every head promotes in every context. The mean over the contexts comes first."
EDITS = {
    "(above[tokens == token].mean(dim=0) > 0).all(dim=0)": "(above[tokens == token] > 0).all(dim=0).all(dim=0)"
}
