"""The diagonal is added twice."""

FAILS = ("symmetric_control",)
NUDGE = "Look at the diagonal of the table that you return."
EXPLANATION = "This fits upper triangle plus its transpose with the diagonal in both: there it is counted twice."


def symmetric_control(model, M, steps):
    S = (M.triu() + M.triu().T) % len(M)
    train_table(
        lambda pairs: table_logits(model, pairs, True, None), list(model.parameters()), S, steps
    )
    return S
