"""The mask is given to the last layer only."""

FAILS = ("table_logits",)
WORDS = {"table_logits": "2 layers"}


def table_logits(model, pairs, padded, mask):
    x = model.embedding(pairs)
    if padded:
        x = F.pad(x, (0, 0, 0, 1))
    *before, last = model.encoder.layers
    for layer in before:
        x = layer(x)
    return model.unembedding(last(x, src_mask=mask)[:, -1])
