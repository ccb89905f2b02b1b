"""The largest cosine is taken in place of the own token's."""

FAILS = ("superposition",)
NUDGE = "Does your last number use `tokens`?"
EXPLANATION = "This fits the cosine with the nearest row of U. The row of the context's own token is wanted, also where another is nearer."
EDITS = {
    "own = (F.normalize(E, dim=1) * directions[tokens]).sum(dim=1)": "own = (F.normalize(E, dim=1) @ directions.T).max(dim=1).values"
}
