"""A loop that keeps the best key."""

MISTAKE = "key_instead_of_value"
FAILS = ("argmax_attention",)


def argmax_attention(q, K, V):
    return max(K, key=lambda key: key @ q)
