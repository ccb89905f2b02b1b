"""S and z are made in the loop."""

import torch

MISTAKE = "sums_made_for_each_query"
FAILS = ("kernel_attention_cost",)


def kernel_attention(Q, K, V, phi):
    outputs = []
    phi_Q, phi_K = phi(Q), phi(K)
    for i in range(len(Q)):
        S = phi_K.T @ V
        z = phi_K.sum(dim=0)
        outputs.append(phi_Q[i] @ S / (phi_Q[i] @ z))
    return torch.stack(outputs)
