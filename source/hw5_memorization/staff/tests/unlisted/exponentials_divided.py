"""One exponential over the sum of both, which overflow where scores are large."""

FAILS = ("two_way_softmax_is_sigmoid",)
WORDS = {"two_way_softmax_is_sigmoid": "NaN or infinity"}


def first_share(scores):
    powers = scores.exp()
    return powers[..., 0] / (powers[..., 0] + powers[..., 1])
