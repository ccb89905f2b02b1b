"""As mean_for_largest, with the logits as a table."""

MISTAKE = "mean_for_largest"
FAILS = ("swap_gap",)


def swap_gap(logits_of, n):
    table = logits_of(all_pairs(n)).view(n, n, -1)
    return ((table - table.transpose(0, 1)) ** 2).sqrt().mean().item()
