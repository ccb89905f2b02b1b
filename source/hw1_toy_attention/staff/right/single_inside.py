"""Single precision, as torch has by default."""

import torch


def attend(tokens, queries, K):
    x, q, k = tokens.float(), queries.float(), K.float()
    weights = torch.softmax(torch.matmul(x @ k, q[..., None])[..., 0], dim=1)
    return torch.sum(x * weights.unsqueeze(-1), dim=1), weights


def loss_of_the_demo(logits, labels):
    own = torch.softmax(logits.float(), dim=1)[torch.arange(len(labels)), labels]
    return -own.mean()


def cross_entropy(logits, labels):
    own = torch.log_softmax(logits.float(), dim=1)[torch.arange(len(labels)), labels]
    return -own.mean()


def token_logit(tokens, Q, K, w, b):
    x = tokens.float()
    return attend(x, x[:, 1] @ Q.float(), K)[0] @ w.float() + b.float()


def learned_logit(tokens, q, K, w, b):
    x = tokens.float()
    return attend(x, q.float().broadcast_to(len(x), len(q)), K)[0] @ w.float() + b.float()


def oddness(logit, tokens, b):
    return (logit(tokens.float()) + logit(-tokens.float()) - 2 * b.float()).abs().max()


def terms(tokens, q, K, w, b):
    x = tokens.float()
    return torch.exp(x @ (K.float() @ q.float())) * (x @ w.float() + b.float())


def count_xor_patterns(outputs):
    o = torch.tensor(outputs)
    lower, upper = torch.minimum(o[:, 1], o[:, 2]), torch.maximum(o[:, 1], o[:, 2])
    least, most = torch.minimum(o[:, 0], o[:, 3]), torch.maximum(o[:, 0], o[:, 3])
    return torch.logical_or(lower - most > 1e-6, least - upper > 1e-6).sum()
