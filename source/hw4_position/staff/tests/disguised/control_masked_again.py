"""As control_with_a_mask, written out."""

import torch

MISTAKE = "control_with_a_mask"
FAILS = ("no_mask_control",)


def no_mask_control(model, M, steps):
    blocked = torch.triu(torch.full((3, 3), float("-inf")), diagonal=1)

    def logits_of(pairs):
        return table_logits(model, pairs, True, blocked)

    return train_table(logits_of, [*model.parameters()], M, steps)
