"""All queries are divided by one number, the sum over all pairs."""

FAILS = ("kernel_attention", "kernel_attention_cost")
NUDGE = "Which indices does the denominator of V'_i depend on?"
EXPLANATION = "This fits one denominator for all queries. Each query has its own, the sum of its own similarities."
EDITS = {"(phi_Q @ z)[:, None]": "(phi_Q @ z).sum()"}
