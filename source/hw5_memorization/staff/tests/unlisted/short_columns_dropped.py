"""Directions with a singular value below a hundredth are taken for rounding errors."""

FAILS = ("gauge",)
WORDS = {"gauge": "those of A short"}
EDITS = {
    "bases = [torch.linalg.qr(X - X.mean(dim=0)).Q for X in (A, B)]": """parts = [torch.linalg.svd(X - X.mean(dim=0), full_matrices=False) for X in (A, B)]
    bases = [U[:, sizes > 0.01] for U, sizes, _ in parts]""",
}
