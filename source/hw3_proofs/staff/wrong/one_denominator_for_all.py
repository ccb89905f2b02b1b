"""All queries are divided by one number, the sum over all pairs."""

FAILS = ("kernel_attention", "kernel_attention_cost")
NUDGE = "Which indices does the denominator of V'_i depend on?"
EXPLANATION = "This fits one denominator for all queries. Each query has its own, the sum of its own similarities."


def kernel_attention(Q, K, V, phi):
    phi_Q, phi_K = phi(Q), phi(K)
    return phi_Q @ (phi_K.T @ V) / (phi_Q @ phi_K.sum(dim=0)).sum()
