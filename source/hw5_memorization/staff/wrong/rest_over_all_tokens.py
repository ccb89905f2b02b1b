"""What is left is shared by all tokens, the best one included."""

FAILS = ("last_position_law",)
NUDGE = "How many tokens share the rest, and how likely is the best one?"
EXPLANATION = "This fits (1 - beta) / N for each token and beta on top: the best token then has more than beta. Only the other N - 1 share the rest."


def last_position_law(best, beta):
    N = len(best)
    others = torch.full((N, N, N), (1 - beta) / N)
    return others.scatter_add(-1, best[..., None], torch.full((N, N, 1), beta))
