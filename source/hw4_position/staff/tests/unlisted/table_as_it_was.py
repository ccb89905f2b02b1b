"""Trained on the symmetric table, and M is returned."""

FAILS = ("symmetric_control",)
WORDS = {"symmetric_control": "is not symmetric"}


def symmetric_control(model, M, steps):
    S = M.triu() + M.triu(1).T
    train_table(
        lambda pairs: table_logits(model, pairs, True, None), list(model.parameters()), S, steps
    )
    return M
