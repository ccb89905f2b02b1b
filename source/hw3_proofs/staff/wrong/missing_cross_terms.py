"""The features lack the products of different coordinates."""

import math

import torch

FAILS = ("quadratic_features", "feature_dimension")
NUDGE = "Take D = 2 and write the square out: which of its terms has no feature of yours?"
EXPLANATION = "This fits features without products of two different coordinates. They are needed as soon as D is 2."


def quadratic_features(x):
    return torch.cat([torch.ones_like(x[..., :1]), math.sqrt(2) * x, x**2], dim=-1)


def feature_dimension(D):
    return 2 * D + 1
