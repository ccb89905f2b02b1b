"""Where a mask is given, a causal one is used, whatever was given."""

import torch.nn.functional as F

FAILS = ("table_logits",)
NUDGE = "Try a mask that is not causal. Does it reach the encoder as it is?"
EXPLANATION = "This fits an encoder that masks causally as soon as there is a mask: by a mask of its own, or by the hint `is_causal`, which PyTorch believes. The given mask should decide."


def table_logits(model, pairs, padded, mask):
    x = model.embedding(pairs)
    if padded:
        x = F.pad(x, (0, 0, 0, 1))
    if mask is not None:
        mask = causal_mask(x.shape[1])
    return model.unembedding(model.encoder(x, mask=mask)[:, -1])
