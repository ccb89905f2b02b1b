"""Sines and cosines are added, not kept apart."""

FAILS = ("random_features",)
WORDS = {"random_features": "numbers are off"}


def random_features(x, W):
    angles = x @ W.T
    return (angles.sin() + angles.cos()) / len(W) ** 0.5
