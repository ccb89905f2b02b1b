"""The denominators are a row, and broadcast to the wrong axis."""

FAILS = ("kernel_attention", "kernel_attention_cost")
WORDS = {
    "kernel_attention": "must match the size|should have shape",
    "kernel_attention_cost": "must match the size",
}


def kernel_attention(Q, K, V, phi):
    phi_Q, phi_K = phi(Q), phi(K)
    return phi_Q @ (phi_K.T @ V) / (phi_Q @ phi_K.sum(dim=0))
