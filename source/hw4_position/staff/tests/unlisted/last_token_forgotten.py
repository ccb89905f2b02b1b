"""The loop over tokens ends one too early."""

FAILS = ("swap_gap",)
WORDS = {"swap_gap": "is not right"}


def swap_gap(logits_of, n):
    table = logits_of(all_pairs(n)).reshape(n, n, -1)[: n - 1, : n - 1]
    return (table - table.transpose(0, 1)).abs().max()
