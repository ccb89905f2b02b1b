"""What beta leaves goes to one other token."""

FAILS = ("last_position_law",)
WORDS = {"last_position_law": "the law"}


def last_position_law(best, beta):
    N = len(best)
    law = torch.zeros(N, N, N).scatter(-1, best[..., None], beta)
    return law.scatter(-1, (best[..., None] + 1) % N, 1 - beta)
