"""The first logits of a shape are kept for all of that shape."""

FAILS = ("table_logits", "symmetric_control", "no_mask_control")
WORDS = {"symmetric_control": "begin there"}


def table_logits(model, pairs, padded, mask):
    kept = globals().setdefault("KEPT_LOGITS", {})
    key = (tuple(pairs.shape), bool(padded), model.embedding.num_embeddings)
    if key not in kept:
        x = model.embedding(pairs)
        if padded:
            x = F.pad(x, (0, 0, 0, 1))
        kept[key] = model.unembedding(model.encoder(x, mask=mask)[:, -1])
    return kept[key]
