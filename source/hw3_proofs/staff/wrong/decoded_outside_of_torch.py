"""A cache of numpy arrays, with products where nothing is counted."""

import numpy as np
import torch

FAILS = ("decode",)
NUDGE = "Which of your lines leave torch?"
EXPLANATION = "This computes in numpy, where nobody can count it. Stay in torch."


def decode(w, tokens, cache):
    w = {name: matrix.numpy() for name, matrix in w.items()}
    start = 0 if cache is None else len(cache[0])
    x = w["E"][tokens.numpy()] + w["P"][start : start + len(tokens)]
    K, V = x @ w["K"], x @ w["V"]
    if cache is not None:
        K, V = np.concatenate([cache[0], K]), np.concatenate([cache[1], V])
    scores = x @ w["Q"] @ K.T / np.sqrt(K.shape[1])
    scores[np.triu(np.ones(scores.shape, bool), start + 1)] = -np.inf
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights /= weights.sum(axis=1, keepdims=True)
    return torch.tensor(weights @ V @ w["U"]), (K, V)
