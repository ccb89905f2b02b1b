"""The folded table is kept for each size, and a mask that forbids a little is left in the control."""

import torch

FAILS = ("symmetric_control", "no_mask_control")
WORDS = {"symmetric_control": "from call to call", "no_mask_control": "with a mask"}


def symmetric_control(model, M, steps):
    S = globals().setdefault("FOLDED", {}).setdefault(len(M), M.triu() + M.triu(1).T)
    train_table(
        lambda pairs: table_logits(model, pairs, True, None), list(model.parameters()), S, steps
    )
    return S


def no_mask_control(model, M, steps):
    mask = torch.ones(3, 3).triu(1) * -1e-3
    train_table(
        lambda pairs: table_logits(model, pairs, True, mask), list(model.parameters()), M, steps
    )
