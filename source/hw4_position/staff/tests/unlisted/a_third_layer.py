"""The control adds to the model a layer that has a norm only, beside its own two."""

import torch

FAILS = ("no_mask_control",)
WORDS = {"no_mask_control": "Right on"}


def no_mask_control(model, M, steps):
    layer = torch.nn.Module()
    layer.norm1 = torch.nn.LayerNorm(16)
    model.encoder.layers.append(layer)
