"""Sizes of normal numbers, shifted and scaled to mean 0 and deviation 1: the law is skew."""

FAILS = ("initial_weights",)
WORDS = {"initial_weights": "the law is not normal"}
EDITS = {
    "torch.randn(shape, generator=generator)": "((torch.randn(shape, generator=generator).abs() - math.sqrt(2 / math.pi)) / math.sqrt(1 - 2 / math.pi))"
}
