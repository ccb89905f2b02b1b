"""Only the largest of the principal angles counts."""

import torch

FAILS = ("gauge",)
WORDS = {"gauge": "not right"}


def gauge(A, B):
    a, b = (torch.linalg.qr(X - X.mean(0)).Q for X in (A, B))
    return 2**0.5 * torch.linalg.matrix_norm(a - b @ (b.T @ a), 2)
