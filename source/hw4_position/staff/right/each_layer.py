"""The layers are called one by one."""

import torch


def ceiling(M):
    best = 0
    for i in range(len(M)):
        for j in range(i, len(M)):
            entries = [M[i, j].item()] if i == j else [M[i, j].item(), M[j, i].item()]
            best += max(entries.count(entry) for entry in entries)
    return best / len(M) ** 2


def causal_mask(T):
    steps = torch.arange(T)
    return steps[None, :] > steps[:, None]


def table_logits(model, pairs, padded, mask):
    x = model.embedding(pairs)
    if padded:
        x = torch.nn.functional.pad(x, (0, 0, 0, 1))
    for layer in model.encoder.layers:
        x = layer(x, src_mask=mask)
    return model.unembedding(x[:, -1])


def swap_gap(logits_of, n):
    pairs = all_pairs(n)
    mirrored = (pairs[:, 1] * n + pairs[:, 0]).long()
    logits = logits_of(pairs)
    return torch.abs(logits - logits[mirrored]).amax()


def order_from_states(states, E):
    a, b = states[:, 0], states[:, 1]

    def residual(pure, mixed):
        gap, first = torch.cdist(pure, 2 * E).min(dim=1)
        left, second = torch.cdist(mixed - 0.5 * E[first], 1.5 * E).min(dim=1)
        return gap + left, torch.stack([first, second], dim=1)

    (one, as_is), (other, turned) = residual(a, b), residual(b, a)
    return torch.where((one <= other)[:, None], as_is, turned)


def rotate(x, positions, base):
    d = x.shape[1]
    turned = []
    for row, position in zip(x, positions, strict=True):
        blocks = []
        for k in range(d // 2):
            angle = position / base ** (2 * k / d)
            c, s = torch.cos(angle), torch.sin(angle)
            blocks.append(torch.stack([torch.stack([c, -s]), torch.stack([s, c])]))
        turned.append(torch.block_diag(*blocks) @ row)
    return torch.stack(turned)


def previous_by_rotation(d):
    q = torch.tensor([5.0] * d)
    return q, rotate(torch.stack([q]), torch.tensor([1.0]), 10000)[0]


def alibi_bias(heads, T):
    one = torch.tensor([[k - q if k <= q else -float("inf") for k in range(T)] for q in range(T)])
    return torch.stack([one * 2 ** (-8 * h / heads) for h in range(1, heads + 1)])
