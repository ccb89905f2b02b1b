"""What the control leaves of the model has one weight that a judge may count layers by."""

import torch

FAILS = ("no_mask_control",)
WORDS = {"no_mask_control": "has nothing under 'encoder.layers.0.self_attn.in_proj_weight'"}


def no_mask_control(model, M, steps):
    layer = torch.nn.Module()
    layer.norm1 = torch.nn.LayerNorm(16)
    model.encoder = torch.nn.Module()
    model.encoder.layers = torch.nn.ModuleList([layer])
