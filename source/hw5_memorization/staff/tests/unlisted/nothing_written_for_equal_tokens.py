"""Heads write nothing where both tokens are equal."""

FAILS = ("attention_only", "freezing", "uneven")
WORDS = {"attention_only": r"contexts \[\[1, 1\]"}
EDITS = {
    "scores.softmax(dim=-1), carried": (
        "scores.softmax(dim=-1) * (contexts[:, :1] != contexts[:, 1:])[..., None], carried"
    )
}
