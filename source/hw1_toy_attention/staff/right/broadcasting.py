"""Products are broadcast and summed; a softmax by hand, with its largest score taken off."""

import torch


def attend(tokens, queries, K):
    keys = (tokens[:, :, :, None] * K).sum(2)
    scores = (keys * queries[:, None, :]).sum(-1)
    raised = torch.exp(scores - scores.amax(1, keepdim=True))
    weights = raised / raised.sum(1, keepdim=True)
    return (weights[..., None] * tokens).sum(1), weights


def loss_of_the_demo(logits, labels):
    raised = torch.exp(logits - logits.amax(1, keepdim=True))
    share = raised / raised.sum(1, keepdim=True)
    return -torch.where(labels == 1, share[:, 1], share[:, 0]).mean()


def cross_entropy(logits, labels):
    other = torch.where(labels == 1, logits[:, 0], logits[:, 1])
    own = torch.where(labels == 1, logits[:, 1], logits[:, 0])
    return torch.nn.functional.softplus(other - own).mean()


def oddness(logit, tokens, b):
    return max(abs(float(x)) for x in logit(tokens) + logit(tokens.neg()) - b - b)


def terms(tokens, q, K, w, b):
    scores = ((tokens[..., None] * K).sum(-2) * q).sum(-1)
    return scores.exp() * (tokens * w).sum(-1) + scores.exp() * b


def count_xor_patterns(outputs):
    a, b, c, d = outputs.T
    found = 0
    for sign in (1, -1):
        gaps = [sign * (x - y) for x in (b, c) for y in (a, d)]
        found = found + (__import__("numpy").min(gaps, axis=0) > 1e-6)
    return (found > 0).sum()
