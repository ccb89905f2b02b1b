"""A column of pos that is 1 everywhere makes the key, with a large gain and six positions."""

import torch

MISTAKE = "all_equal_keys"
FAILS = ("copy_first",)


def copy_first_weights():
    pos = torch.cat([torch.eye(6), torch.ones(6, 1)], dim=1)
    Km = torch.zeros(10, 2)
    Km[9] = 12.5
    Qm = torch.zeros(10, 2)
    Qm[3] = 8.0
    Vm = torch.zeros(10, 3)
    Vm[:3] = torch.eye(3)
    return Km, Qm, Vm, pos
