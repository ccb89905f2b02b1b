"""One table serves both positions: the second token is looked up as if it stood first."""

FAILS = ("fast_forward", "fast_cost", "one_epoch", "log_reproduction", "groks")
NUDGE = "What is added to the embedding of b that is not added to that of a?"
EXPLANATION = "This fits one table for both positions. The two differ by their position vectors, so the second token needs a table of its own."
EDITS = {'w["W_E"][:-1] + w["W_pos"][1]': 'w["W_E"][:-1] + w["W_pos"][0]'}
