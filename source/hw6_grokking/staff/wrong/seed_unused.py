"""The seed is not used."""

FAILS = ("initial_weights",)
NUDGE = "What becomes of the argument `seed`?"
EXPLANATION = "This fits weights that are drawn without the seed, as in the source: its DATA_SEED is set and never used."


def initial_weights(p, width, hidden, seed):
    w = {}
    for name, shape in weight_shapes(p, width, hidden).items():
        variance = 1 / (p + 1 if name == "W_U" else width)
        w[name] = (torch.randn(shape) * math.sqrt(variance)).requires_grad_()
    return w
