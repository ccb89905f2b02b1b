"""Pairs i < j only, without squares."""

FAILS = ("feature_dimension",)
WORDS = {"feature_dimension": "So few features are not enough"}


def feature_dimension(D):
    return 1 + D + D * (D - 1) // 2
