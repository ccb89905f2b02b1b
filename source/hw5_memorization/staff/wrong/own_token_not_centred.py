"""E meets rows of U that are not centred."""

FAILS = ("superposition",)
NUDGE = "Which rows of U does your last number use?"
EXPLANATION = (
    "This fits cosines of E with the rows of U as they are. The centred rows are wanted there, too."
)
EDITS = {"* directions[tokens])": "* F.normalize(U, dim=1)[tokens])"}
