"""Lengths below a hundredth are taken for a hundredth."""

FAILS = ("superposition",)
WORDS = {"superposition": "all of them short"}
EDITS = {
    "directions = F.normalize(rows, dim=1)": "directions = F.normalize(rows, dim=1, eps=0.01)",
}
