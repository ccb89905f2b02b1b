"""Weights that sum to one, then their product with the values."""

MISTAKE = "all_pairs"
FAILS = ("kernel_attention_cost",)


def kernel_attention(Q, K, V, phi):
    weights = phi(Q) @ phi(K).mT
    weights /= weights.sum(dim=-1, keepdim=True)
    return weights.matmul(V)
