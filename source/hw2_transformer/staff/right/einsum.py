"""Einsum for both products."""

EDITS = {
    "Q @ K.T / math.sqrt(K.shape[-1])": 'torch.einsum("qd,kd->qk", Q, K) / K.shape[-1] ** 0.5',
    "F.softmax(scores, dim=-1) @ V": 'torch.einsum("qk,kv->qv", scores.softmax(dim=1), V)',
}
