"""As takes_every_mask_for_causal, by PyTorch's hint."""

import torch

MISTAKE = "takes_every_mask_for_causal"
FAILS = ("table_logits",)


def table_logits(model, pairs, padded, mask):
    x = model.embedding(pairs)
    if padded:
        x = torch.nn.functional.pad(x, (0, 0, 0, 1))
    encoded = model.encoder(x, mask=mask, is_causal=mask is not None)
    return model.unembedding(encoded[:, -1])
