"""Double precision inside, and back."""

import numpy as np
import torch


def attend(tokens, queries, K):
    x, q, k = tokens.double(), queries.double(), K.double()
    weights = torch.softmax((x @ k @ q.unsqueeze(2)).squeeze(2), 1)
    return (weights.unsqueeze(1) @ x).squeeze(1).to(tokens.dtype), weights.to(tokens.dtype)


def loss_of_the_demo(logits, labels):
    own = logits.double()[np.arange(len(labels)), labels]
    return -torch.sigmoid(2 * own - logits.double().sum(1)).mean()


def cross_entropy(logits, labels):
    own = logits.double()[np.arange(len(labels)), labels]
    return -torch.nn.functional.logsigmoid(2 * own - logits.double().sum(1)).mean()


def oddness(logit, tokens, b):
    return (logit(tokens).double() + logit(-tokens).double() - 2 * b).abs().max()


def terms(tokens, q, K, w, b):
    x = tokens.double()
    return ((x @ K.double() @ q.double()).exp() * (x @ w.double() + b)).to(tokens.dtype)


def count_xor_patterns(outputs):
    o = np.array(outputs, dtype=np.longdouble)
    differ, equal = o[:, 1:3], o[:, ::3]
    return np.count_nonzero(
        (differ.min(1) - equal.max(1) > 1e-6) + (equal.min(1) - differ.max(1) > 1e-6)
    )
