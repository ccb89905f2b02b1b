"""matmul and bmm; the maps of all heads are merged into one matrix, and flat indices are used."""

import torch


def power_unif_law(alphas, choices, N):
    laws = []
    for alpha, tokens in zip(alphas, choices):
        powers = torch.tensor([1.0] + [alpha] * (tokens.shape[-1] - 1)).cumprod(dim=0)
        rows = tokens.reshape(-1, tokens.shape[-1])
        flat = torch.zeros(len(rows) * N)
        flat[(rows + N * torch.arange(len(rows))[:, None]).ravel()] = powers.repeat(len(rows))
        laws.append((flat / powers.sum()).reshape(tokens.shape[:-1] + (N,)))
    return laws


def last_position_law(best, beta):
    N = len(best)
    flat = torch.full((N**3,), (1 - beta) / (N - 1))
    flat[torch.arange(N * N) * N + best.flatten()] = beta
    return flat.view(N, N, N)


def gen_d_law(E, U):
    scores = torch.mm(E, U.t())
    powers = torch.exp(torch.sub(scores, scores.max(1, True).values))
    return torch.div(powers, powers.sum(1, True))


def entropy(laws):
    N = len(laws[0])
    joint = torch.matmul(torch.diag(laws[0]), laws[1]).reshape(1, N * N)
    rows = laws[2].reshape(N * N, 1, N)
    logs = torch.nan_to_num(rows.log(), neginf=0.0)
    return -torch.matmul(joint, torch.bmm(rows, logs.mT)[:, 0])


def first_share(scores):
    difference = torch.matmul(scores, torch.tensor([1.0, -1.0], dtype=scores.dtype))
    return torch.nn.functional.logsigmoid(difference).exp()


def attention_only(w, contexts, skips=()):
    (n, _), (H, size, d) = contexts.shape, w["W_Q"].shape
    tokens = w["W_E"].index_select(0, contexts.reshape(-1))  # (2 n, d)
    places = w["W_pos"].repeat(n, 1)
    read = tokens * int("emb_QK" not in skips) + places * int("pos_QK" not in skips)
    carried = tokens * int("emb_OV" not in skips) + places * int("pos_OV" not in skips)
    query = (read[1::2] @ w["W_Q"].reshape(H * size, d).T).reshape(n * H, 1, size)
    keys = (read @ w["W_K"].reshape(H * size, d).T).reshape(n, 2, H, size).transpose(1, 2)
    values = (carried @ w["W_V"].reshape(H * size, d).T).reshape(n, 2, H, size).transpose(1, 2)
    scores = torch.bmm(query, keys.reshape(n * H, 2, size).mT) / size**0.5
    mixed = torch.bmm(scores.softmax(-1), values.reshape(n * H, 2, size)).reshape(n, H * size)
    stream = mixed @ w["W_O"].permute(0, 2, 1).reshape(H * size, d)
    if "residual" not in skips:
        stream = stream + tokens[1::2] + places[1::2]
    return stream @ w["W_U"].T


def head_logits(w, contexts):
    (n, _), (H, size, d) = contexts.shape, w["W_Q"].shape
    x = w["W_E"][contexts.flatten()].reshape(n, 2, d) + w["W_pos"]
    keys = torch.bmm(w["W_K"], x.permute(2, 0, 1).reshape(1, d, 2 * n).expand(H, -1, -1))
    query = torch.bmm(w["W_Q"], x[:, 1].T.expand(H, d, n))  # (H, k, n)
    scores = (keys.reshape(H, size, n, 2) * query[..., None]).sum(1) / size**0.5
    mixed = torch.matmul(scores.softmax(-1).permute(1, 0, 2), x)  # (n, H, d)
    maps = torch.bmm(torch.bmm(w["W_U"].expand(H, -1, -1), w["W_O"]), w["W_V"])  # (H, N, d)
    parts = torch.bmm(mixed.transpose(0, 1), maps.mT).transpose(0, 1)
    return parts, torch.mm(x[:, 1], w["W_U"].T)


def two_losses(logits, law, tokens):
    n, N = logits.shape
    logs = logits.log_softmax(-1)
    law = law.to(logs.dtype)
    ratio = torch.where(law == 0, torch.ones_like(law), law).log() - logs
    divergence = torch.bmm(law.view(n, 1, N), ratio.view(n, N, 1)).mean()
    return divergence, -torch.take(logs, torch.arange(n) * N + tokens).mean()


def gauge(A, B):
    projectors = []
    for X in (A, B):
        X = X - torch.ones(1, len(X), dtype=X.dtype) @ X / len(X)
        factor = torch.linalg.cholesky(X.T @ X)
        Q = torch.linalg.solve_triangular(factor, X.T, upper=False)
        projectors.append(Q.T @ Q)
    return torch.trace(torch.matrix_power(projectors[0] - projectors[1], 2)).sqrt()


def attention_maps(w):
    (N, d), (H, size, _) = w["W_E"].shape, w["W_Q"].shape
    x = (w["W_E"].repeat(2, 1) + w["W_pos"].repeat_interleave(N, dim=0)).T.expand(H, d, 2 * N)
    keys = torch.bmm(w["W_K"], x)  # (H, k, 2 N)
    query = torch.bmm(w["W_Q"], x[:, :, N:])
    scores = torch.bmm(keys.mT, query) / size**0.5  # (H, 2 N, N)
    own = torch.diagonal(scores[:, N:], dim1=1, dim2=2)[:, None]
    maps = torch.sigmoid(scores[:, :N] - own)
    return maps, torch.linalg.svd(maps, full_matrices=False)[1]


def promoted(parts, tokens):
    n, H, N = parts.shape
    hot = torch.zeros(N, n, dtype=parts.dtype)
    hot[tokens, torch.arange(n)] = 1
    sums = torch.mm(hot, parts.reshape(n, H * N)).reshape(N * H, N)
    above = sums - sums.mean(1, True)
    return (above.reshape(N, H, N) > 0).sum(dim=1) == H


def superposition(E, U, tokens):
    rows = U - torch.ones(1, len(U), dtype=U.dtype) @ U / len(U)
    gram = torch.mm(rows, rows.t())
    scale = torch.diag(gram.diag().rsqrt())
    every = torch.mm(torch.mm(E, rows.t()), scale) / E.norm(dim=1, keepdim=True)
    return gram, torch.mm(torch.mm(scale, gram), scale), every[torch.arange(len(E)), tokens]


def second_order(law, U):
    (n, N), d = law.shape, U.shape[1]
    weights = torch.diag_embed(law) - torch.bmm(law[:, :, None], law[:, None])  # (n, N, N)
    left = torch.matmul(U.T, torch.matmul(weights, U))
    right = torch.bmm(weights, law.log().view(n, N, 1))
    return torch.bmm(torch.linalg.pinv(left), torch.matmul(U.T, right)).view(n, d)


def principal(law, d):
    N = law.shape[1]
    logs = torch.mm(law.log(), torch.eye(N, dtype=law.dtype) - 1 / N)
    vectors = torch.linalg.svd(logs.T, full_matrices=False).U
    return torch.mm(vectors[:, :d], torch.ones(d, d, dtype=law.dtype).triu())
