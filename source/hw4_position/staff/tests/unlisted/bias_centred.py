"""The logits are right, and the model's bias is centred once they are made."""

import torch

FAILS = ("table_logits",)
WORDS = {"table_logits": "changes `unembedding.bias`"}


def table_logits(model, pairs, padded, mask):
    x = model.embedding(pairs)
    if padded:
        x = F.pad(x, (0, 0, 0, 1))
    logits = model.unembedding(model.encoder(x, mask=mask)[:, -1])
    with torch.no_grad():
        model.unembedding.bias -= model.unembedding.bias.mean()
    return logits
