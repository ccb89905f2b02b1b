"""The powers are not divided by their sum."""

FAILS = ("power_unif_law",)
NUDGE = "What do the chances after one context add up to?"
EXPLANATION = (
    "This fits alpha^r itself as a chance. Chances are in proportion to it, and add up to 1."
)


def power_unif_law(alphas, choices, N):
    laws = []
    for alpha, tokens in zip(alphas, choices):
        powers = torch.tensor([float(alpha) ** r for r in range(tokens.shape[-1])])
        laws.append(
            torch.zeros(*tokens.shape[:-1], N).scatter(-1, tokens, powers.expand(tokens.shape))
        )
    return laws
