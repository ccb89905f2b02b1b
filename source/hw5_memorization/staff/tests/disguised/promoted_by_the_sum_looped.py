"""As promoted_by_the_sum, in a loop."""

import torch

MISTAKE = "promoted_by_the_sum"
FAILS = ("promoted",)


def promoted(parts, tokens):
    N = parts.shape[2]
    table = torch.zeros(N, N)
    for k in range(N):
        rows = [part.sum(dim=0) for part, token in zip(parts, tokens.tolist()) if token == k]
        if rows:
            total = sum(rows)
            table[k] = (total > total.mean()).double()
    return table
