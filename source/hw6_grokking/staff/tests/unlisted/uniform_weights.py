"""Mean and deviation are right, and the law is uniform."""

FAILS = ("initial_weights",)
WORDS = {"initial_weights": "the law is not normal"}
EDITS = {
    "torch.randn(shape, generator=generator)": "(2 * torch.rand(shape, generator=generator) - 1) * math.sqrt(3)"
}
