"""Embeddings and positions start as torch.nn.Embedding would start them."""

FAILS = ("initial_weights", "log_reproduction")
NUDGE = "How far from zero are your embeddings, beside the other weights?"
EXPLANATION = "This fits embeddings of deviation 1, torch's default for nn.Embedding. The source's start has 1/sqrt(d) for them, too."


def initial_weights(p, width, hidden, seed):
    generator = torch.Generator().manual_seed(seed)
    w = {}
    for name, shape in weight_shapes(p, width, hidden).items():
        variance = {"W_E": 1, "W_pos": 1, "W_U": 1 / (p + 1)}.get(name, 1 / width)
        w[name] = (torch.randn(shape, generator=generator) * math.sqrt(variance)).requires_grad_()
    return w
