"""The numbers are right, and the embeddings get no gradient."""

FAILS = ("table_logits",)
WORDS = {"table_logits": "No gradient reaches `embedding.weight`"}


def table_logits(model, pairs, padded, mask):
    x = model.embedding.weight.data[pairs]
    if padded:
        x = F.pad(x, (0, 0, 0, 1))
    return model.unembedding(model.encoder(x, mask=mask)[:, -1])
