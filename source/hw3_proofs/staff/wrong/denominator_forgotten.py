"""The weighted sum of values is not divided by the sum of its weights."""

FAILS = ("kernel_attention", "kernel_attention_cost")
NUDGE = "If all values are equal, what should come out?"
EXPLANATION = "This fits the numerator alone: the weights of a query do not sum to one."


def kernel_attention(Q, K, V, phi):
    return phi(Q) @ (phi(K).T @ V)
