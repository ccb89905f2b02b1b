"""Symmetric, with what stands below the diagonal of M."""

FAILS = ("symmetric_control",)
WORDS = {"symmetric_control": "on and above the diagonal"}


def symmetric_control(model, M, steps):
    S = M.tril() + M.tril(-1).T
    train_table(lambda p: table_logits(model, p, True, None), list(model.parameters()), S, steps)
    return S
