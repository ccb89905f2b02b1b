"""There are as many tokens as are ever the best."""

import torch

FAILS = ("last_position_law",)
WORDS = {"last_position_law": "should have shape"}


def last_position_law(best, beta):
    N = int(best.max()) + 1
    n = len(best)
    others = torch.full((n, n, N), (1 - beta) / max(N - 1, 1))
    return others.scatter(-1, best[..., None], beta)
