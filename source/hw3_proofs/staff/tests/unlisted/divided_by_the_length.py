"""A mean over the keys in place of the sum of similarities."""

FAILS = ("kernel_attention", "kernel_attention_cost")
WORDS = {"kernel_attention": "range of the values", "kernel_attention_cost": "only when"}


def kernel_attention(Q, K, V, phi):
    return phi(Q) @ (phi(K).T @ V) / len(K)
