"""The unembedding without its bias."""

import torch.nn.functional as F

FAILS = ("table_logits",)
WORDS = {"table_logits": "off by up to"}


def table_logits(model, pairs, padded, mask):
    x = model.embedding(pairs)
    if padded:
        x = F.pad(x, (0, 0, 0, 1))
    return model.encoder(x, mask=mask)[:, -1] @ model.unembedding.weight.T
