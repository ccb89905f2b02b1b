"""V' is made as the formula is written, from all N^2 similarities."""

FAILS = ("kernel_attention_cost",)
NUDGE = "What is the shape of the largest matrix that you make?"
EXPLANATION = "This makes the N x N matrix of all similarities, which the linear form does without: multiply in the other order."


def kernel_attention(Q, K, V, phi):
    similarities = phi(Q) @ phi(K).T
    return similarities @ V / similarities.sum(dim=1, keepdim=True)
