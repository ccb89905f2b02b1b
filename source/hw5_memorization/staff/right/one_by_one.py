"""One context, one head, one row: vmap does the rest. Copies are trained and written back."""

import torch
from torch.func import vmap


def power_unif_law(alphas, choices, N):
    laws = []
    for alpha, tokens in zip(alphas, choices):
        powers = alpha ** torch.arange(tokens.shape[-1], dtype=torch.get_default_dtype())

        def one(some, powers=powers):
            return torch.zeros(N).scatter_add(0, some, powers) / powers.sum()

        for _ in tokens.shape[:-1]:
            one = vmap(one)
        laws.append(one(tokens))
    return laws


def last_position_law(best, beta):
    N = len(best)

    def chance(token, other):
        return torch.where(token == other, beta, (1 - beta) / (N - 1))

    of_all = vmap(chance, in_dims=(None, 0))
    return vmap(vmap(of_all, in_dims=(0, None)), in_dims=(0, None))(best, torch.arange(N))


def gen_d_law(E, U):
    return vmap(lambda e: torch.softmax(U.mv(e), dim=0))(E)


def entropy(laws):
    def of_one(law):
        return torch.special.entr(law).sum()

    return laws[0].dot(vmap(torch.dot)(laws[1], vmap(vmap(of_one))(laws[2])))


def first_share(scores):
    one = vmap(lambda pair: torch.special.expit(pair[0] - pair[1]))
    return one(scores.reshape(-1, 2)).reshape(scores.shape[:-1])


def attention_only(w, contexts, skips=()):
    U = w["W_U"]
    keep = {name: int(name not in skips) for name in ("emb_QK", "pos_QK", "emb_OV", "pos_OV")}

    def of_context(tokens):
        read = keep["emb_QK"] * tokens + keep["pos_QK"] * w["W_pos"]
        carried = keep["emb_OV"] * tokens + keep["pos_OV"] * w["W_pos"]

        def of_head(Q, K, V, out):
            scores = (read @ K.T) @ (Q @ read[1]) / len(Q) ** 0.5
            return out @ (V @ (carried.T @ torch.softmax(scores, dim=0)))

        stream = vmap(of_head)(w["W_Q"], w["W_K"], w["W_V"], w["W_O"]).sum(dim=0)
        if "residual" not in skips:
            stream = stream + tokens[1] + w["W_pos"][1]
        return U @ stream

    return vmap(of_context)(w["W_E"][contexts])


def head_logits(w, contexts):
    x = w["W_E"][contexts] + w["W_pos"]

    def part(both, Q, K, V, out):
        share = torch.sigmoid((Q @ both[1]) @ (K @ (both[0] - both[1])) / len(Q) ** 0.5)
        return w["W_U"] @ (out @ (V @ (both[1] + share * (both[0] - both[1]))))

    of_heads = vmap(part, in_dims=(None, 0, 0, 0, 0))
    maps = (w[name] for name in ("W_Q", "W_K", "W_V", "W_O"))
    parts = vmap(of_heads, in_dims=(0, None, None, None, None))(x, *maps)
    return parts, vmap(w["W_U"].mv)(x[:, 1])


def two_losses(logits, law, tokens):
    def of_row(row, wanted, hot):
        logs = row - row.logsumexp(dim=0)
        return (torch.xlogy(wanted, wanted) - wanted * logs).sum(), -(hot * logs).sum()

    hot = torch.eye(logits.shape[1], dtype=logits.dtype)[tokens]
    divergences, losses = vmap(of_row)(logits, law, hot)
    return divergences.mean(), losses.mean()


def train(w, names, contexts, law, steps):
    copies = {name: w[name].detach().clone().requires_grad_() for name in names}
    model = {name: copies.get(name, item.detach()) for name, item in w.items()}
    adam = torch.optim.Adam(copies.values(), lr=0.01)

    def closure():
        adam.zero_grad()
        order = torch.randperm(len(contexts))  # all of them, in some order
        loss = two_losses(attention_only(model, contexts[order]), law[order], order % law.shape[1])[
            0
        ]
        loss.backward()
        return loss

    losses = [adam.step(closure).item() for _ in range(steps)]
    with torch.no_grad():
        for name, copy in copies.items():
            w[name].copy_(copy)
    return losses


def train_uneven(w, contexts, law, chances, steps, skips=()):
    known = torch.special.entr(law).sum(dim=1)  # what no model can save
    adam = torch.optim.Adam(list(w.values()), lr=0.01)

    def closure():
        adam.zero_grad()
        order = torch.randperm(len(contexts))
        logits = attention_only(w, contexts[order], skips)
        each = torch.nn.functional.cross_entropy(logits, law[order], reduction="none")
        loss = torch.dot(each - known[order], chances[order])
        loss.backward()
        return loss

    return tuple(adam.step(closure).item() for _ in range(steps))


def gauge(A, B):
    def projector(X):
        X = X - X.mean(dim=0)
        return X @ torch.linalg.pinv(X)

    first, second = vmap(projector)(torch.stack([A, B]))
    # |P - Q|^2 = tr P + tr Q - 2 tr PQ
    squared = first.trace() + second.trace() - 2 * (first * second).sum()
    return squared.clamp(min=0).sqrt()


def attention_maps(w):
    places = w["W_pos"]

    def of_head(Q, K):
        def of_pair(one, other):
            second = other + places[1]
            return torch.sigmoid((Q @ second) @ (K @ (one + places[0] - second)) / len(Q) ** 0.5)

        of_second = vmap(of_pair, in_dims=(None, 0))
        return vmap(of_second, in_dims=(0, None))(w["W_E"], w["W_E"])

    maps = vmap(of_head)(w["W_Q"], w["W_K"])
    return maps, vmap(torch.linalg.svdvals)(maps)


def promoted(parts, tokens):
    def of_token(token):
        weights = (tokens == token).to(parts.dtype)
        mean = torch.einsum("n,nht->ht", weights, parts)
        return (mean - mean.mean(dim=1, keepdim=True)).amin(dim=0) > 1e-9

    return vmap(of_token)(torch.arange(parts.shape[2]))


def superposition(E, U, tokens):
    rows = U - U.mean(dim=0)

    def cosine(a, b):
        return a.dot(b) / (a.dot(a) * b.dot(b)).sqrt()

    def pairs(function):
        return vmap(vmap(function, in_dims=(None, 0)), in_dims=(0, None))(rows, rows)

    return pairs(torch.dot), pairs(cosine), vmap(cosine)(E, rows[tokens])


def second_order(law, U):
    def of_one(p):
        moved = U - p @ U
        return torch.linalg.solve(moved.T @ (p[:, None] * moved), moved.T @ (p * p.log()))

    return vmap(of_one)(law)


def principal(law, d):
    logs = vmap(lambda p: p.log() - p.log().mean())(law)
    return torch.linalg.svd(logs).Vh[:d].T @ (torch.eye(d, dtype=law.dtype) + 0.5)
