"""The sums over the keys are made again for each query."""

import torch

FAILS = ("kernel_attention_cost",)
NUDGE = "Which of your lines inside the loop depend on the query?"
EXPLANATION = "This goes through all keys once for each query. The sums over the keys are the same for all queries: make them once."


def kernel_attention(Q, K, V, phi):
    phi_K = phi(K)
    rows = []
    for query in phi(Q):
        similarities = phi_K @ query
        rows.append(similarities @ V / similarities.sum())
    return torch.stack(rows)
