"""The features lack the products of different coordinates."""

import math

import torch

FAILS = ("quadratic_features", "feature_dimension")
NUDGE = "Take D = 2: write down every term of the square, and look for a feature that makes it."
EXPLANATION = "This fits features without products of two different coordinates. They are needed as soon as D is 2."


def quadratic_features(x):
    return torch.cat([torch.ones_like(x[..., :1]), math.sqrt(2) * x, x**2], dim=-1)


def feature_dimension(D):
    return 2 * D + 1
