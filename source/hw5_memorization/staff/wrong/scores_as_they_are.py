"""The first score alone goes into the sigmoid."""

FAILS = ("two_way_softmax_is_sigmoid",)
NUDGE = "What happens to a softmax when both scores grow by the same?"
EXPLANATION = (
    "This fits the sigmoid of the first score. A softmax depends on the difference of the two."
)
EDITS = {"scores[..., 0] - scores[..., 1]": "scores[..., 0]"}
