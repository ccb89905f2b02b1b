"""As writes_into_the_table, all at once."""

MISTAKE = "writes_into_the_table"
FAILS = ("symmetric_control",)


def symmetric_control(model, M, steps):
    M.copy_(M.triu() + M.triu(1).T)
    train_table(lambda pairs: table_logits(model, pairs, True, None), model.parameters(), M, steps)
    return M
