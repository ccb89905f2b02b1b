"""Torch's own attention, which reads the keys in blocks."""

import torch.nn.functional as F

FAILS = ("attend_in_blocks",)
NUDGE = "What does your loop look like?"
EXPLANATION = (
    "This calls F.scaled_dot_product_attention, which does for you what you are asked to write."
)


def attend_in_blocks(Q, K, V, size):
    return F.scaled_dot_product_attention(Q[None], K[None], V[None])[0]
