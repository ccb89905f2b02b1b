"""The norm of the sines of the principal angles, without the root of two."""

import torch

FAILS = ("gauge",)
WORDS = {"gauge": "same factor"}


def gauge(A, B):
    a, b = (torch.linalg.qr(X - X.mean(dim=0)).Q for X in (A, B))
    return torch.linalg.norm(a - b @ (b.T @ a))
