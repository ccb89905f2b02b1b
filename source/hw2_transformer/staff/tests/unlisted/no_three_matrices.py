"""A dictionary, numbers that are none, and more columns than are read."""

import numpy as np

FAILS = ("identity", "copy_first", "unique")
WORDS = {
    "identity": "it returned a dict",
    "copy_first": "Km contains NaN",
    "unique": "Km may have at most 1,024",
}


def identity_weights():
    return {"Km": np.eye(3), "Qm": 20 * np.eye(3), "Vm": np.eye(3)}


def copy_first_weights():
    Km = np.full((7, 1), np.nan)
    return Km, np.ones((7, 1)), np.eye(7, 3), np.eye(4)


def unique_weights():
    Km = np.zeros((9, 1025))
    return Km, Km, np.zeros((9, 1)), np.eye(5)
