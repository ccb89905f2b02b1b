"""Tensors, with keys and queries rotated by a random matrix and a larger qk_dim."""

import torch


def identity_weights():
    torch.manual_seed(5)
    rotation = torch.linalg.qr(torch.randn(7, 7)).Q
    Km, Qm = torch.zeros(3, 7), torch.zeros(3, 7)
    Km[:, :3] = 6 * torch.eye(3)
    Qm[:, :3] = 6 * torch.eye(3)
    return Km @ rotation, Qm @ rotation, torch.eye(3)


def copy_first_weights():
    torch.manual_seed(6)
    rotation = torch.linalg.qr(torch.randn(6, 6)).Q
    pos = torch.zeros(10, 6)
    pos[0, 0] = 1
    pos[1:, 1] = 1
    Km, Qm, Vm = torch.zeros(9, 2), torch.zeros(9, 2), torch.zeros(9, 3)
    Km[3:, 0] = -15 * rotation.T[:, 1]
    Qm[:3, 0] = 2
    Vm[:3] = torch.eye(3)
    return Km, Qm, Vm, pos @ rotation
