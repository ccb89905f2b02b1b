"""Everything is unembedded, then the last position chosen; states are told by their sum."""

import torch


def ceiling(M):
    couples = torch.combinations(torch.arange(len(M)), 2)
    ties = sum(int(M[i, j] == M[j, i]) for i, j in couples)
    return (len(M) + len(couples) + ties) / len(M) ** 2


def causal_mask(T):
    mask = torch.zeros(T, T)
    for row in range(T):
        mask[row, row + 1 :] = -torch.inf
    return mask


def table_logits(model, pairs, padded, mask):
    x = model.embedding.weight[pairs]
    if padded:
        nothing = x.new_zeros((x.shape[0], 1, x.shape[2]))
        x = torch.hstack((x, nothing))
    everywhere = model.encoder(x, mask=mask) @ model.unembedding.weight.T + model.unembedding.bias
    return everywhere[:, x.shape[1] - 1]


def swap_gap(logits_of, n):
    answers = {
        tuple(pair): logits for pair, logits in zip(all_pairs(n).tolist(), logits_of(all_pairs(n)))
    }
    return max((answers[i, j] - answers[j, i]).abs().max().item() for i, j in answers)


def order_from_states(states, E):
    # Both states of a pair add up to 2.5 x_i + 1.5 x_j, whatever their order.
    pairs = all_pairs(len(E))
    sums = 2.5 * E[pairs[:, 0]] + 1.5 * E[pairs[:, 1]]
    return pairs[torch.cdist(states.sum(dim=1), sums).argmin(dim=1)]


def rotate(x, positions, base):
    half = x.shape[1] // 2
    angles = torch.outer(positions, 1 / base ** (torch.arange(half) / half))
    c, s = torch.cos(angles), torch.sin(angles)
    even, odd = x[:, ::2], x[:, 1::2]
    return torch.stack([c * even - s * odd, s * even + c * odd], dim=2).reshape(x.shape)


def previous_by_rotation(d):
    q = torch.ones(d) * 5
    return q, rotate(q.view(1, d), torch.tensor([1.0]), 10000).view(d)


def alibi_bias(heads, T):
    m = 2 ** (-8 / heads)
    distances = (torch.arange(T) - torch.arange(T).unsqueeze(1)).float()
    bias = torch.stack([m**h * distances for h in range(1, heads + 1)])
    return bias.masked_fill(distances > 0, float("-inf"))
