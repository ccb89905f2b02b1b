"""As columns_not_centred, with projectors from the normal equations."""

import torch

MISTAKE = "columns_not_centred"
FAILS = ("gauge",)


def gauge(A, B):
    P, Q = (X @ torch.linalg.solve(X.T @ X, X.T) for X in (A, B))
    return ((P - Q) ** 2).sum().sqrt().item()
