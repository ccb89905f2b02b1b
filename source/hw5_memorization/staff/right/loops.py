"""Python loops: over contexts, choices, heads and rows; frozen weights ask for no gradient."""

import math

import torch


def power_unif_law(alphas, choices, N):
    laws = [torch.zeros(N), torch.zeros(N, N), torch.zeros(N, N, N)]
    sums = []
    for alpha, tokens in zip(alphas, choices):
        total = 0.0
        for rank in range(tokens.shape[-1]):
            total += alpha**rank
        sums.append(total)
    for rank in range(len(choices[0])):
        laws[0][choices[0][rank]] = alphas[0] ** rank / sums[0]
    for i in range(N):
        for rank in range(len(choices[1][i])):
            laws[1][i, choices[1][i][rank]] = alphas[1] ** rank / sums[1]
        for j in range(N):
            for rank in range(len(choices[2][i, j])):
                laws[2][i, j, choices[2][i, j, rank]] = alphas[2] ** rank / sums[2]
    return laws


def last_position_law(best, beta):
    N = best.shape[0]
    law = torch.empty(N, N, N)
    for i in range(N):
        for j in range(N):
            for k in range(N):
                law[i, j, k] = beta if k == best[i, j] else (1 - beta) / (N - 1)
    return law


def gen_d_law(E, U):
    law = torch.zeros(len(E), len(U), dtype=E.dtype)
    for n, e in enumerate(E):
        scores = U @ e
        powers = torch.exp(scores - scores.max())
        law[n] = powers / powers.sum()
    return law


def entropy(laws):
    first, second, third = laws
    total = 0.0
    for i in range(len(first)):
        for j in range(len(first)):
            inner = 0.0
            for p in third[i, j].tolist():
                if p > 0:
                    inner -= p * math.log(p)
            total += float(first[i] * second[i, j]) * inner
    return total


def first_share(scores):
    largest = scores.max(dim=-1).values
    one, other = torch.exp(scores[..., 0] - largest), torch.exp(scores[..., 1] - largest)
    return one / (one + other)


def attention_only(w, contexts, skips=()):
    token = [w["W_E"][contexts[:, place]] for place in (0, 1)]
    read, carried = [], []
    for place in (0, 1):
        for part, sums in (("QK", read), ("OV", carried)):
            x = torch.zeros_like(token[place])
            if "emb_" + part not in skips:
                x = x + token[place]
            if "pos_" + part not in skips:
                x = x + w["W_pos"][place]
            sums.append(x)
    stream = torch.zeros_like(token[1])
    if "residual" not in skips:
        stream = stream + token[1] + w["W_pos"][1]
    for head in range(len(w["W_Q"])):
        query = read[1] @ w["W_Q"][head].T
        keys = [x @ w["W_K"][head].T for x in read]
        scores = [(query * key).sum(dim=1) / math.sqrt(query.shape[1]) for key in keys]
        weights = torch.softmax(torch.stack(scores, dim=1), dim=1)
        for place in (0, 1):
            value = carried[place] @ w["W_V"][head].T
            stream = stream + weights[:, place : place + 1] * (value @ w["W_O"][head].T)
    return stream @ w["W_U"].T


def head_logits(w, contexts):
    first, second = (w["W_E"][contexts[:, place]] + w["W_pos"][place] for place in (0, 1))
    parts = []
    for Q, K, V, out in zip(w["W_Q"], w["W_K"], w["W_V"], w["W_O"]):
        asked = second @ Q.T @ K / math.sqrt(len(Q))
        weights = torch.stack([(asked * first).sum(1), (asked * second).sum(1)], 1).softmax(1)
        mixed = weights[:, :1] * first + weights[:, 1:] * second
        parts.append(mixed @ V.T @ out.T @ w["W_U"].T)
    return torch.stack(parts, dim=1), second @ w["W_U"].T


def two_losses(logits, law, tokens):
    divergence, surprise = 0.0, 0.0
    for row, wanted, token in zip(logits, law, tokens):
        logs = row - torch.logsumexp(row, dim=0)
        possible = wanted > 0
        divergence = divergence + (wanted * (wanted.log() - logs))[possible].sum()
        surprise = surprise - logs[token]
    return divergence / len(logits), surprise / len(logits)


def train(w, names, contexts, law, steps):
    asked = {name: item.requires_grad for name, item in w.items()}
    for name, item in w.items():
        item.requires_grad_(name in names)
    optimizer = torch.optim.Adam([w[name] for name in names], lr=0.01)
    losses = []
    for _ in range(steps):
        loss, _ = two_losses(attention_only(w, contexts), law, law.argmax(dim=1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    for name, item in w.items():
        item.requires_grad_(asked[name])
    return losses


def train_uneven(w, contexts, law, chances, steps, skips=()):
    wanted = torch.distributions.Categorical(probs=law)
    optimizer = torch.optim.Adam([w[name] for name in sorted(w)], lr=0.01)
    losses = []
    for _ in range(steps):
        found = torch.distributions.Categorical(logits=attention_only(w, contexts, skips))
        loss = (torch.distributions.kl_divergence(wanted, found) * chances).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def gauge(A, B):
    projectors = []
    for X in (A, B):
        basis = []  # Gram and Schmidt, twice, so that it stays orthogonal
        for column in (X - X.mean(dim=0)).T:
            for other in basis + basis:
                column = column - (column @ other) * other
            basis.append(column / column.norm())
        projectors.append(sum(torch.outer(one, one) for one in basis))
    return ((projectors[0] - projectors[1]) ** 2).sum().sqrt()


def attention_maps(w):
    N, heads = len(w["W_E"]), len(w["W_Q"])
    maps = torch.zeros(heads, N, N, dtype=w["W_E"].dtype)
    for head in range(heads):
        Q, K = w["W_Q"][head], w["W_K"][head]
        for i in range(N):
            for j in range(N):
                both = [w["W_E"][i] + w["W_pos"][0], w["W_E"][j] + w["W_pos"][1]]
                scores = torch.stack([(Q @ both[1]) @ (K @ x) for x in both]) / math.sqrt(len(Q))
                maps[head, i, j] = torch.softmax(scores, dim=0)[0]
    return maps, torch.stack([torch.linalg.svdvals(one) for one in maps])


def promoted(parts, tokens):
    n, heads, N = parts.shape
    table = torch.zeros(N, N)
    for k in range(N):
        rows = [row for row in range(n) if tokens[row] == k]
        if not rows:
            continue
        for t in range(N):
            agree = 0
            for head in range(heads):
                mine = sum(float(parts[row, head, t]) for row in rows)
                mean = sum(float(parts[row, head].sum()) for row in rows) / N
                agree += mine > mean
            table[k, t] = agree == heads
    return table


def superposition(E, U, tokens):
    N = len(U)
    rows = [U[k] - sum(U[other] for other in range(N)) / N for k in range(N)]
    gram, cosines = torch.zeros(N, N).double(), torch.zeros(N, N).double()
    for k in range(N):
        for m in range(N):
            gram[k, m] = rows[k] @ rows[m]
            cosines[k, m] = gram[k, m] / (rows[k].norm() * rows[m].norm())
    own = [e @ rows[t] / (e.norm() * rows[t].norm()) for e, t in zip(E, tokens.tolist())]
    return gram, cosines, torch.stack(own)


def second_order(law, U):
    vectors = []
    for p in law:
        mean = sum(p[k] * U[k] for k in range(len(U)))
        level = sum(p[k] * p[k].log() for k in range(len(U)))
        variance, covariance = 0.0, 0.0
        for k in range(len(U)):
            moved = U[k] - mean
            variance = variance + p[k] * torch.outer(moved, moved)
            covariance = covariance + p[k] * moved * (p[k].log() - level)
        vectors.append(torch.linalg.inv(variance) @ covariance)
    return torch.stack(vectors)


def principal(law, d):
    logs = torch.stack([row.log() - row.log().mean() for row in law])
    basis = []
    for _ in range(d):  # one direction after another, each taken out of what is left
        direction = torch.linalg.svd(logs)[2][0]
        logs = logs - torch.outer(logs @ direction, direction)
        basis.append(direction)
    return torch.stack(basis, dim=1)
