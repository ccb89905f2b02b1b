"""The first score alone goes into the sigmoid."""

FAILS = ("two_way_softmax_is_sigmoid",)
NUDGE = "What happens to a softmax when both scores grow by the same?"
EXPLANATION = (
    "This fits the sigmoid of the first score. A softmax depends on the difference of the two."
)


def first_share(scores):
    return torch.sigmoid(scores[..., 0])
