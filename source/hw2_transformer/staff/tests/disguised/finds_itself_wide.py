"""Equal tokens score more than CLS, and positions are not used at all."""

import torch

MISTAKE = "finds_itself"
FAILS = ("unique",)


def unique_weights():
    pos = torch.zeros(8, 3)
    Qm = torch.zeros(7, 16)
    Km = torch.zeros(7, 16)
    Qm[:4, :4] = 20 * torch.eye(4)
    Km[:4, :4] = 20 * torch.eye(4)
    Qm[:3, 5] = 10
    Km[3, 5] = 20
    Vm = torch.tensor([-3.0, -3.0, -3.0, 3.0, 0.0, 0.0, 0.0]).unsqueeze(1)
    return Km, Qm, Vm, pos
