"""As naive_again, written out with a loop over the heads."""

import torch

MISTAKE = "naive_again"
FAILS = ("fast_cost",)


def fast_forward(w, pairs):
    equals = torch.full((len(pairs), 1), len(w["W_E"]) - 1)
    x = w["W_E"][torch.cat([pairs, equals], dim=1)] + w["W_pos"]
    seen, written = torch.ones(3, 3).tril().bool(), 0
    for head in range(HEADS):
        q, k, v = (x @ w[name][head].T for name in ("W_Q", "W_K", "W_V"))
        scores = torch.where(seen, q @ k.transpose(1, 2), -torch.inf) / q.shape[2] ** 0.5
        written = written + scores.softmax(dim=2) @ v @ w["W_O"][head].T
    x = x + written
    x = x + (x @ w["W_in"].T).relu() @ w["W_out"].T
    logits = x @ w["W_U"].T
    return logits[:, 2]
