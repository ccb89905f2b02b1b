"""Scores are divided by the root of the number of places, as if it were a head's size."""

FAILS = ("attention_only", "uneven")
WORDS = {"attention_only": "sum of three nn.MultiheadAttention"}
EDITS = {
    'torch.einsum("nd,hkd->nhk", read[:, 1], w["W_Q"]) / w["W_Q"].shape[1] ** 0.5': (
        'torch.einsum("nd,hkd->nhk", read[:, 1], w["W_Q"]) / read.shape[1] ** 0.5'
    )
}
