"""One sentence at a time, mapped over the batch."""

import torch
from torch.func import vmap


def attend(tokens, queries, K):
    def one(sentence, query):
        weights = torch.softmax(sentence @ K @ query, 0)
        return weights @ sentence, weights

    return vmap(one)(tokens, queries)


def loss_of_the_demo(logits, labels):
    return vmap(lambda row, y: -torch.softmax(row, 0).gather(0, y[None])[0])(logits, labels).mean()


def cross_entropy(logits, labels):
    return vmap(lambda row, y: torch.logsumexp(row, 0) - row.gather(0, y[None])[0])(
        logits, labels
    ).mean()


def token_logit(tokens, Q, K, w, b):
    def one(sentence):
        return torch.softmax(sentence @ K @ (sentence[1] @ Q), 0) @ sentence @ w + b

    return vmap(one)(tokens)


def learned_logit(tokens, q, K, w, b):
    def one(sentence):
        return torch.softmax(sentence @ K @ q, 0) @ sentence @ w + b

    return vmap(one)(tokens)


def oddness(logit, tokens, b):
    return torch.tensor(
        [abs(float(logit(x[None])[0] + logit(-x[None])[0] - 2 * b)) for x in tokens]
    ).max()


def terms(tokens, q, K, w, b):
    return vmap(vmap(lambda x: torch.exp(x @ K @ q) * (x @ w + b)))(tokens)


def count_xor_patterns(outputs):
    def is_xor(row):
        thresholds = [x + 5e-7 for x in row]
        for t in thresholds:
            sides = [x > t for x in row]
            if sides in ([False, True, True, False], [True, False, False, True]):
                gap = min(x for x, s in zip(row, sides) if s) - max(
                    x for x, s in zip(row, sides) if not s
                )
                if gap > 1e-6:
                    return True
        return False

    return len([None for row in outputs.tolist() if is_xor(row)])
