"""The directions of the first d contexts are taken for the main ones."""

import torch

FAILS = ("principal",)
WORDS = {"principal": "the right shape .* but its numbers are off"}


def principal(law, d):
    logs = law.log()
    logs = logs - logs.mean(dim=1, keepdim=True)
    return torch.linalg.qr(logs.T).Q[:, :d]
