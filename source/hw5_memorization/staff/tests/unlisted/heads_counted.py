"""The table says how many heads promote a token, where all of several do."""

FAILS = ("promoted",)
WORDS = {"promoted": "truth values"}
EDITS = {
    "torch.zeros(N, N, dtype=torch.bool)": "torch.zeros(N, N, dtype=torch.long)",
    "(above[tokens == token].mean(dim=0) > 0).all(dim=0)": (
        "(above[tokens == token].mean(dim=0) > 0).sum(dim=0)"
    ),
}
