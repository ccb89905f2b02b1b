"""As diagonal_is_its_own_mirror: in the table of what is known the diagonal is filled."""

import torch

MISTAKE = "diagonal_is_its_own_mirror"
FAILS = ("mirror_share",)


def mirror_share(trained, others):
    size = 1 + int(torch.cat([trained, others]).max())
    known = torch.eye(size, dtype=torch.bool)
    known[trained[:, 0], trained[:, 1]] = True
    return known.T[others[:, 0], others[:, 1]].double().mean().item()
