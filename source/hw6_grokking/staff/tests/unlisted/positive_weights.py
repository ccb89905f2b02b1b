"""Weights are uniform between 0 and the right deviation: none is negative."""

FAILS = ("initial_weights", "log_reproduction", "groks")
WORDS = {"initial_weights": "the mean is not zero"}
EDITS = {"torch.randn(shape, generator=generator)": "torch.rand(shape, generator=generator)"}
