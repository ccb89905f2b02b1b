"""As without_gradients, as an array of numpy."""

import torch.nn.functional as F

MISTAKE = "without_gradients"
FAILS = ("table_logits", "symmetric_control", "no_mask_control")


def table_logits(model, pairs, padded, mask):
    x = model.embedding(pairs)
    if padded:
        x = F.pad(x, (0, 0, 0, 1))
    return model.unembedding(model.encoder(x, mask=mask)[:, -1]).detach().numpy()
