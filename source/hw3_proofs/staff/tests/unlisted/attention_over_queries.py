"""Sums over the queries, not the keys."""

FAILS = ("kernel_attention", "kernel_attention_cost")
WORDS = {"kernel_attention": "numbers are off", "kernel_attention_cost": "only when"}


def kernel_attention(Q, K, V, phi):
    phi_Q, phi_K = phi(Q), phi(K)
    return phi_K @ (phi_Q.T @ V) / (phi_K @ phi_Q.sum(dim=0))[:, None]
