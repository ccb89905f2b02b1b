"""The symmetric table is written into M itself."""

FAILS = ("symmetric_control",)
NUDGE = "What has become of M after your function ran?"
EXPLANATION = "This fits a table that is made symmetric in place: the caller's own M is lost, and with it everything that is compared with M later. Work on a copy."


def symmetric_control(model, M, steps):
    for i in range(len(M)):
        for j in range(i):
            M[i, j] = M[j, i]
    train_table(
        lambda pairs: table_logits(model, pairs, True, None), list(model.parameters()), M, steps
    )
    return M
