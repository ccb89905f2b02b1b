"""As tokens_alike, by a pseudoinverse."""

import torch

MISTAKE = "tokens_alike"
FAILS = ("second_order",)


def second_order(law, U):
    centred = U - U.mean(dim=0, keepdim=True)
    return law.log() @ torch.linalg.pinv(centred).T
