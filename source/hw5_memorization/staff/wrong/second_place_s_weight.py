"""The weight of the second place."""

FAILS = ("two_way_softmax_is_sigmoid",)
NUDGE = "If the first score is much larger, what should come out?"
EXPLANATION = "This fits the weight of the second place: the difference of the scores is taken the other way round."


def first_share(scores):
    return torch.sigmoid(scores[..., 1] - scores[..., 0])
