"""The maps show the second token's weight."""

FAILS = ("attention_maps",)
NUDGE = "Which place does a head look at where your map is nearly 1?"
EXPLANATION = "This fits the weights of the second token. Both weights add up to 1, and the first one's is wanted."
EDITS = {
    "torch.sigmoid(of_first - of_second[:, None])": "torch.sigmoid(of_second[:, None] - of_first)"
}
