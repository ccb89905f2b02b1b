"""The mask does not reach the encoder."""

FAILS = ("table_logits", "train_table")
NUDGE = "Does the mask make a difference in your function?"
EXPLANATION = (
    "This fits a model that never gets the mask. Two layers without it are blind to order."
)


def table_logits(model, pairs, padded, mask):
    x = model.embedding(pairs)
    if padded:
        x = F.pad(x, (0, 0, 0, 1))
    return model.unembedding(model.encoder(x)[:, -1])
