"""The weight of the second place."""

FAILS = ("two_way_softmax_is_sigmoid",)
NUDGE = "If the first score is much larger, what should come out?"
EXPLANATION = "This fits the weight of the second place: the difference of the scores is taken the other way round."
EDITS = {"scores[..., 0] - scores[..., 1]": "scores[..., 1] - scores[..., 0]"}
