"""No step follows the last loss; states are looked for exactly, and a mask is cut out of a larger one."""

import torch
import torch.nn.functional as F

FAILS = ("train_table", "order_from_states", "causal_mask", "table_logits")
WORDS = {
    "train_table": "after the last step",
    "order_from_states": "pair",
    "causal_mask": "For 40 tokens",
    "table_logits": "not padded, a mask of numbers to add",
}


def causal_mask(T):
    return torch.ones(8, 8, dtype=torch.bool).triu(1)[:T, :T]


def table_logits(model, pairs, padded, mask):
    x = model.embedding(pairs)
    if padded:
        x = F.pad(x, (0, 0, 0, 1))
    elif mask is not None:
        mask = mask.bool()
    return model.unembedding(model.encoder(x, mask=mask)[:, -1])


def train_table(logits_of, parameters, M, steps):
    pairs, wanted = all_pairs(len(M)), M.flatten()
    optimizer = torch.optim.Adam(parameters, lr=5e-3)
    losses = []
    for step in range(steps):
        loss = F.cross_entropy(logits_of(pairs), wanted)
        losses.append(loss.item())
        if step < steps - 1:
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return losses


def order_from_states(states, E):
    pure = (states[:, :, None] == 2 * E).all(dim=3)  # (N, 2, n)
    place = pure.any(dim=2).int().argmax(dim=1)
    rows = torch.arange(len(states))
    first = pure[rows, place].int().argmax(dim=1)
    rest = (states[rows, 1 - place] - 0.5 * E[first]) / 1.5
    return torch.stack([first, torch.cdist(rest, E).argmin(dim=1)], dim=1)
