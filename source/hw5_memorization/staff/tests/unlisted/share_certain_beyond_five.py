"""A difference of more than 5 counts as certain."""

FAILS = ("two_way_softmax_is_sigmoid",)
WORDS = {"two_way_softmax_is_sigmoid": "off by|nearer"}
EDITS = {
    "return torch.sigmoid(scores[..., 0] - scores[..., 1])": """z = scores[..., 0] - scores[..., 1]
    return torch.where(z.abs() > 5, (z > 0).to(z), z.sigmoid())""",
}
