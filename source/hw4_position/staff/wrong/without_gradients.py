"""The logits are computed without gradients."""

import torch
import torch.nn.functional as F

FAILS = ("table_logits", "symmetric_control", "no_mask_control")
NUDGE = "What has to flow back from the logits when the model is trained?"
EXPLANATION = "The numbers are right, but `torch.no_grad`, `.detach()` or numpy cuts them off from the weights, so that nothing can be learned through them."


def table_logits(model, pairs, padded, mask):
    with torch.no_grad():
        x = model.embedding(pairs)
        if padded:
            x = F.pad(x, (0, 0, 0, 1))
        return model.unembedding(model.encoder(x, mask=mask)[:, -1])
