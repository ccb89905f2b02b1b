"""The control returns the losses in place of the table."""

FAILS = ("symmetric_control",)
WORDS = {"symmetric_control": "should return the symmetric table"}


def symmetric_control(model, M, steps):
    S = M.triu() + M.triu(1).T
    return train_table(
        lambda pairs: table_logits(model, pairs, True, None), list(model.parameters()), S, steps
    )
