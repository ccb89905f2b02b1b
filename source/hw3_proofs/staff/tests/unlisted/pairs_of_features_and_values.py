"""No matrix of pairs, but each query's own copy of S."""

FAILS = ("kernel_attention_cost",)
WORDS = {"kernel_attention_cost": r"makes a tensor of [\d,]+ numbers; .*\.$"}


def kernel_attention(Q, K, V, phi):
    phi_Q, phi_K = phi(Q), phi(K)
    S = (phi_K.T @ V)[None] * phi_Q[:, :, None]
    many = S.repeat(1, 12, 1) / 12
    return many.sum(dim=1) / (phi_Q @ phi_K.sum(dim=0))[:, None]
