"""The pure state is taken for the second token's."""

FAILS = ("order_from_states",)
NUDGE = "Which of the two positions sees only itself?"
EXPLANATION = "This fits an answer in which both tokens are found and change places: the state that is the double of an embedding belongs to the first token, which sees nobody else."
EDITS = {"torch.stack([first, second], dim=1)": "torch.stack([second, first], dim=1)"}
