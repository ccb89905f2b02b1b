"""Each matrix is drawn with the same numbers again."""

FAILS = ("initial_weights",)
NUDGE = "Do any two of your matrices begin with the same numbers?"
EXPLANATION = "This fits a generator that is made anew, with the same seed, for each matrix: queries, keys and values are then equal, number for number."


def initial_weights(p, width, hidden, seed):
    w = {}
    for name, shape in weight_shapes(p, width, hidden).items():
        dice = torch.Generator().manual_seed(seed)
        deviation = (p + 1 if name == "W_U" else width) ** -0.5
        w[name] = (deviation * torch.randn(shape, generator=dice)).requires_grad_()
    return w
