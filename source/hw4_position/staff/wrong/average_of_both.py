"""The symmetric table is the average of M and its mirror image."""

FAILS = ("symmetric_control",)
NUDGE = "Which entries of your table are those of M?"
EXPLANATION = "This fits the rounded average of M and its transpose. It is symmetric, and it is another table: on and above the diagonal it should be M."


def symmetric_control(model, M, steps):
    S = (M + M.T) // 2
    train_table(
        lambda pairs: table_logits(model, pairs, True, None), list(model.parameters()), S, steps
    )
    return S
