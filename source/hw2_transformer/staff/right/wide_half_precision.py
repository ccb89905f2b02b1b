"""Tensors that bfloat16 can hold, qk_dim of 64, and many more positions than needed."""

import torch


def identity_weights():
    torch.manual_seed(2)
    # Columns of +1 and -1, orthogonal in blocks of four: 48 in common with oneself, 0 with others.
    signs = torch.tensor([[1, 1, 1, 1], [1, -1, 1, -1], [1, 1, -1, -1]]).repeat(1, 16)
    signs = signs * torch.randint(0, 2, (64,)).mul(2).sub(1)
    signs = signs.to(torch.bfloat16)
    return signs, 2 * signs, torch.eye(3, dtype=torch.bfloat16)


def copy_first_weights():
    pos = torch.zeros(100, 8, dtype=torch.bfloat16)
    pos[0] = 1
    Km, Qm = (torch.zeros(11, 64, dtype=torch.float16) for _ in range(2))
    Km[3:] = 0.5
    Qm[:3] = 0.75
    Vm = torch.zeros(11, 3, dtype=torch.float16)
    Vm[:3] = torch.eye(3)
    return Km, Qm, Vm, pos


def unique_weights():
    pos = torch.eye(32, 16)
    Qm = torch.zeros(20, 64)
    Km = torch.zeros(20, 64)
    for token in range(3):
        Qm[token, token] = 16
        Km[token, token] = 32
    Qm[4:, 10:26] = 16 * torch.eye(16)
    Km[4:, 10:26] = -32 * torch.eye(16)
    Qm[:3, 63] = 16
    Km[3, 63] = 16
    Vm = torch.zeros(20, 1)
    Vm[:3] = -0.25
    Vm[3] = 0.25
    return Km.bfloat16(), Qm.bfloat16(), Vm.bfloat16(), pos.bfloat16()
