"""Columns and rows that do not belong together."""

import numpy as np

FAILS = ("identity", "copy_first", "unique")
WORDS = {
    "identity": "same number of columns",
    "copy_first": "v_dim = 3 columns",
    "unique": "needs input_dim",
}


def identity_weights():
    return np.eye(3), 20 * np.eye(3, 4), np.eye(3)


def copy_first_weights():
    Km = np.zeros((7, 1))
    Km[3] = 20
    return Km, np.ones((7, 1)), np.eye(7, 2), np.eye(4)


def unique_weights():
    return np.eye(4), np.eye(4), np.ones((4, 1)), np.eye(5)
