"""The control without a mask is trained on the symmetric table."""

FAILS = ("no_mask_control",)
WORDS = {"no_mask_control": "sure of entries that are wrong"}


def no_mask_control(model, M, steps):
    S = M.triu() + M.triu(1).T
    return train_table(
        lambda pairs: table_logits(model, pairs, True, None), list(model.parameters()), S, steps
    )
