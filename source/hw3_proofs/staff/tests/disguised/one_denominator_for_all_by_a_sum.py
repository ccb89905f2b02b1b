"""A sum over everything, where an axis was forgotten."""

MISTAKE = "one_denominator_for_all"
FAILS = ("kernel_attention", "kernel_attention_cost")


def kernel_attention(Q, K, V, phi):
    similarities = phi(Q) @ phi(K).T
    return similarities @ V / similarities.sum()
