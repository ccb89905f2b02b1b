"""One head is enough."""

FAILS = ("promoted",)
NUDGE = "In the example by hand, which tokens does one of the heads promote, and which do both?"
EXPLANATION = "This fits tokens that at least one head promotes. All heads have to agree."
EDITS = {"> 0).all(dim=0)": "> 0).any(dim=0)"}
