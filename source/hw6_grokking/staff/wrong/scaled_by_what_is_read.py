"""The matrix behind the neurons starts by the root of what it reads."""

FAILS = ("initial_weights",)
NUDGE = "What does the text say of the matrix that reads the neurons?"
EXPLANATION = "This fits W_out drawn with deviation 1/sqrt(m). The source's start has 1/sqrt(d) for every matrix but W_U, also for that one; the losses differ by less than seeds do."


def initial_weights(p, width, hidden, seed):
    generator = torch.Generator().manual_seed(seed)
    w = {}
    for name, shape in weight_shapes(p, width, hidden).items():
        variance = 1 / {"W_U": p + 1, "W_out": hidden}.get(name, width)
        w[name] = (torch.randn(shape, generator=generator) * math.sqrt(variance)).requires_grad_()
    return w
