"""The first distance for each shape is kept."""

import torch

FAILS = ("gauge",)
WORDS = {"gauge": "not right|second time|again"}


def gauge(A, B, kept={}):  # noqa: B006
    a, b = (torch.linalg.qr(X - X.mean(0)).Q for X in (A, B))
    return kept.setdefault(A.shape, torch.linalg.norm(a @ a.T - b @ b.T))
