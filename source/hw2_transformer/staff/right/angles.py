"""Tokens and positions on circles: angles of 120 degrees, cosines and sines of two frequencies."""

import numpy as np


def identity_weights():
    angle = 2 * np.pi * np.arange(3) / 3
    circle = np.stack([np.cos(angle), np.sin(angle)], axis=1)  # qk_dim = 2
    return circle, 15 * circle, np.identity(3)


def copy_first_weights():
    place = np.arange(4)
    pos = np.stack([np.sin(place), np.cos(place)], axis=1)
    Km = np.zeros((5, 1))
    Km[4, 0] = 40  # the cosine is 1 at position 0 and at most 0.54 after it
    Qm = np.ones((5, 1))
    Qm[3:] = 0
    Vm = np.concatenate([np.eye(3), np.zeros((2, 3))])
    return Km, Qm, Vm, pos


def unique_weights():
    angle = 2 * np.pi * np.arange(5) / 5
    pos = np.stack([f(k * angle) for k in (1, 2) for f in (np.cos, np.sin)], axis=1)
    tokens = np.hstack([np.eye(4, 3), np.zeros((4, 5))])
    places = np.hstack([np.zeros((4, 3)), np.eye(4), np.zeros((4, 1))])
    cls = np.zeros((8, 8))
    cls[3, 7] = 1
    ask = np.zeros((8, 8))
    ask[:3, 7] = 1
    Qm = np.vstack([tokens, places]) + ask
    Km = np.vstack([80 * tokens, -30 * places]) + 40 * cls
    Vm = np.array([-1, -1, -1, 5, 0, 0, 0, 0.0]).reshape(-1, 1)
    return Km, Qm, Vm, pos
