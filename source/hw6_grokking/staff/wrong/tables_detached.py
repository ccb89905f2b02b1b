"""The logits are right, and no gradient reaches what the scores come from."""

FAILS = ("fast_forward", "fast_cost", "one_epoch", "log_reproduction", "groks")
NUDGE = "Which weights do the attention weights depend on, and does each get a gradient?"
EXPLANATION = "This fits attention weights that are computed without gradients: queries and keys never learn. Tables have to stay part of the graph, and be made anew each time."
EDITS = {"attention[..., None] *": "attention[..., None].detach() *"}
