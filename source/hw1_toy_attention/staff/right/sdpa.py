"""torch's own attention, with scale=1."""

import numpy as np
import torch
import torch.nn.functional as F


def attend(tokens, queries, K):
    keys = F.linear(tokens, K.t())
    z = F.scaled_dot_product_attention(queries.unsqueeze(1), keys, tokens, scale=1.0)
    weights = F.softmax(torch.matmul(keys, queries.unsqueeze(-1)).squeeze(-1), dim=-1)
    return z.squeeze(1), weights


def loss_of_the_demo(logits, labels):
    hot = F.one_hot(labels, 2)
    return -(F.softmax(logits, dim=1) * hot).sum() / len(labels)


def cross_entropy(logits, labels):
    hot = F.one_hot(labels, 2)
    return -(F.log_softmax(logits, dim=1) * hot).sum() / len(labels)


def oddness(logit, tokens, b):
    together = torch.stack([logit(tokens) - b, logit(-tokens) - b])
    return together.sum(0).abs().amax()


def terms(tokens, q, K, w, b):
    return (F.linear(tokens, w[None]).squeeze(-1) + b) * torch.exp(
        F.linear(tokens, (K @ q)[None])
    ).squeeze(-1)


def count_xor_patterns(outputs):
    order = np.sort(outputs, axis=1)
    split = order[:, 2] - order[:, 1] > 1e-6
    upper = outputs > (order[:, 1:2] + order[:, 2:3]) / 2
    xor = (upper[:, 1] & upper[:, 2]) | (upper[:, 0] & upper[:, 3])
    return np.sum(split & xor)
