"""All rows are divided by one length."""

FAILS = ("superposition",)
NUDGE = "What is on the diagonal of your cosines?"
EXPLANATION = (
    "This fits products that are all divided by the same number. Each row has a length of its own."
)
EDITS = {"F.normalize(rows, dim=1)": "rows / rows.norm(dim=1).max()"}
