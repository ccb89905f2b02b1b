"""The second place's score is left out."""

FAILS = ("attention_maps",)
NUDGE = "A softmax over two places has two scores. Where is the second one in your map?"
EXPLANATION = "This fits the sigmoid of the first place's score alone. A weight depends on the difference of both scores."
EDITS = {"of_first - of_second[:, None]": "of_first"}
