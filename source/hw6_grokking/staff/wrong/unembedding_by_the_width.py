"""The unembedding starts like all the other matrices."""

FAILS = ("initial_weights",)
NUDGE = "Which matrix starts differently from the others?"
EXPLANATION = "This fits W_U with deviation 1/sqrt(d). In the source's start it is 1/sqrt(p + 1); the loss after some hundred epochs hardly shows it."


def initial_weights(p, width, hidden, seed):
    dice, shapes = torch.Generator().manual_seed(seed), weight_shapes(p, width, hidden)
    drawn = {name: torch.randn(shapes[name], generator=dice) / width**0.5 for name in shapes}
    return {name: drawn[name].requires_grad_() for name in drawn}
