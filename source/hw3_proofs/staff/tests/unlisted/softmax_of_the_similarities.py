"""A softmax over similarities."""

FAILS = ("kernel_attention", "kernel_attention_cost")
WORDS = {"kernel_attention": "numbers are off", "kernel_attention_cost": "only when"}


def kernel_attention(Q, K, V, phi):
    return (phi(Q) @ phi(K).T).softmax(dim=1) @ V
