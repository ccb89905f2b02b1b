"""phi is applied to the sum of the keys, not to each key."""

FAILS = ("kernel_attention", "kernel_attention_cost")
NUDGE = "Is phi(a + b) the same as phi(a) + phi(b)?"
EXPLANATION = "This fits a denominator with the features of the summed keys. The features of each key are to be summed: phi is not linear."


def kernel_attention(Q, K, V, phi):
    phi_Q = phi(Q)
    S = phi(K).T @ V
    z = phi(K.sum(dim=0))
    return phi_Q @ S / (phi_Q @ z)[:, None]
