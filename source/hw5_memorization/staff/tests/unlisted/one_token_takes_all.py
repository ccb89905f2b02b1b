"""Where scores are large, one token gets everything, also where two share the largest score."""

import torch
import torch.nn.functional as F

FAILS = ("gen_d_law",)
WORDS = {"gen_d_law": "rows are right"}


def gen_d_law(E, U):
    s = E @ U.T
    big = s.amax(dim=1, keepdim=True).abs() > 80
    return torch.where(big, F.one_hot(s.argmax(dim=1), len(U)).double(), s.softmax(dim=1))
