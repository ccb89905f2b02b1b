"""Chances go to the tokens in their own order, not in that of the choices."""

FAILS = ("power_unif_law",)
NUDGE = "Which of the choices is the likeliest, and which one gets the largest chance from you?"
EXPLANATION = "This fits chances that are given to the possible tokens in the order of their numbers. The choices come with the likeliest first."


def power_unif_law(alphas, choices, N):
    laws = []
    for alpha, tokens in zip(alphas, choices):
        powers = torch.tensor([float(alpha) ** r for r in range(tokens.shape[-1])])
        chances = (powers / powers.sum()).expand(tokens.shape)
        ordered = tokens.sort(dim=-1).values
        laws.append(torch.zeros(*tokens.shape[:-1], N).scatter(-1, ordered, chances))
    return laws
