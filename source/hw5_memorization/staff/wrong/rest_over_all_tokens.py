"""What is left is shared by all tokens, the best one included."""

FAILS = ("last_position_law",)
NUDGE = "How many tokens share what is left, and what is the chance of the best one?"
EXPLANATION = "This fits (1 - beta) / N for each token and beta on top: the best one then has more than beta. The others are N - 1."


def last_position_law(best, beta):
    N = len(best)
    others = torch.full((N, N, N), (1 - beta) / N)
    return others.scatter_add(-1, best[..., None], torch.full((N, N, 1), beta))
