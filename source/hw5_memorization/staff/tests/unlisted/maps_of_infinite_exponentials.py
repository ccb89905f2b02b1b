"""The exponentials of the scores are divided, which are infinite or 0 for large ones."""

FAILS = ("attention_maps",)
WORDS = {"attention_maps": "non-finite|NaN"}
EDITS = {
    "maps = torch.sigmoid(of_first - of_second[:, None])": """one, other = of_first.exp(), of_second[:, None].exp()
    maps = one / (one + other)""",
}
