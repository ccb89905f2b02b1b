"""One number a position, falling or squared; CLS is known by its place; a list of tuples."""

import numpy as np


def identity_weights():
    # Oneself: 0. Another token: -1 on its own column.
    return [np.eye(3) - 1, 40 * np.eye(3), ((1, 0, 0), (0, 1, 0), (0, 0, 1))]


def copy_first_weights():
    pos = -np.arange(20.0)[:, None]
    Km = [(0,), (0,), (0,), (25,)]
    Qm = [(1,), (1,), (1,), (0,)]
    Vm = [(1, 0, 0), (0, 1, 0), (0, 0, 1), (0, 0, 0)]
    return [Km, Qm, Vm, pos]


def unique_weights():
    """An equal token scores 600 + 60 (i - j)^2, so 600 for oneself, and CLS, at place 0, 630."""
    i = np.arange(1, 5)
    pos = np.zeros((5, 4))
    pos[0, 3] = 1
    pos[1:, :3] = np.stack([np.ones(4), i, i**2], axis=1)
    Qm, Km = np.zeros((8, 7)), np.zeros((8, 7))
    Qm[:3, :3], Km[:3, :3] = np.eye(3), 600 * np.eye(3)
    # (i - j)^2 = i^2 * 1 - 2 i * j + 1 * j^2
    Qm[[6, 5, 4], [3, 4, 5]] = 1
    Km[[4, 5, 6], [3, 4, 5]] = 60, -120, 60
    Qm[:3, 6], Km[7, 6] = 1, 630
    Vm = [(-2,), (-2,), (-2,), (0,), (0,), (0,), (0,), (3,)]
    return [Km, Qm, Vm, pos]
