"""Scores are divided by the root of the model's width, not of a head's."""

FAILS = ("naive_forward", "fast_forward", "fast_cost", "one_epoch", "log_reproduction", "groks")
NUDGE = "How long are the vectors whose product a score is?"
EXPLANATION = "This fits scores divided by the square root of d. Queries and keys of one head have d/4 numbers."
EDITS = {
    "math.sqrt(q.shape[-1])": "math.sqrt(x.shape[-1])",
    'math.sqrt(w["W_Q"].shape[1])': "math.sqrt(len(at_equals))",
}
