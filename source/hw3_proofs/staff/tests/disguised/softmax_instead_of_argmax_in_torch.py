"""F.softmax."""

import torch
import torch.nn.functional as F

MISTAKE = "softmax_instead_of_argmax"
FAILS = ("argmax_attention",)


def argmax_attention(q, K, V):
    q, K, V = map(torch.tensor, (q, K, V))
    return F.softmax(K @ q, dim=0) @ V
