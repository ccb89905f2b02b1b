"""The second position answers, with or without a pad."""

FAILS = ("table_logits", "train_table", "symmetric_control", "no_mask_control")
NUDGE = "At which position is the answer read, if there is a pad?"
EXPLANATION = "This fits logits that are read at the second token although there is a third position. The model that is trained with them is another one."


def table_logits(model, pairs, padded, mask):
    x = model.embedding(pairs)
    if padded:
        x = F.pad(x, (0, 0, 0, 1))
    return model.unembedding(model.encoder(x, mask=mask)[:, 1])
