"""The columns are centred in what the caller gave."""

import torch

FAILS = ("gauge",)
WORDS = {"gauge": "changes `A`"}


def gauge(A, B):
    A -= A.mean(0)
    B -= B.mean(0)
    a, b = (torch.linalg.qr(X).Q for X in (A, B))
    return torch.linalg.norm(a @ a.T - b @ b.T)
