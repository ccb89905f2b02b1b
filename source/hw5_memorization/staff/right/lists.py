"""Lists, counters and math; Adam written out, with gradients from autograd.grad."""

import math

import torch


def power_unif_law(alphas, choices, N):
    def chances(alpha, tokens):
        powers = [alpha**rank for rank in range(len(tokens))]
        of = {token: power / math.fsum(powers) for token, power in zip(tokens, powers)}
        return [of.get(token, 0.0) for token in range(N)]

    first, second, third = (item.tolist() for item in choices)
    laws = (
        chances(alphas[0], first),
        [chances(alphas[1], row) for row in second],
        [[chances(alphas[2], row) for row in rows] for rows in third],
    )
    return [torch.tensor(law) for law in laws]


def last_position_law(best, beta):
    N, rest = len(best), (1 - beta) / (len(best) - 1)
    return [
        [[rest] * token + [beta] + [rest] * (N - token - 1) for token in row]
        for row in best.tolist()
    ]


def gen_d_law(E, U):
    law = []
    for e in E.tolist():
        scores = [math.fsum(a * b for a, b in zip(e, u)) for u in U.tolist()]
        powers = [math.exp(score - max(scores)) for score in scores]
        law.append([power / math.fsum(powers) for power in powers])
    return torch.tensor(law)


def entropy(laws):
    # The chain rule: that of all three less that of the first two.
    def of(chances):
        return -math.fsum(p * math.log(p) for p in chances if p)

    first, second, third = (law.tolist() for law in laws)
    pairs = {(i, j): p * q for i, p in enumerate(first) for j, q in enumerate(second[i])}
    triples = [p * r for (i, j), p in pairs.items() for r in third[i][j]]
    return of(triples) - of(pairs.values())


def first_share(scores):
    def of(item):
        if isinstance(item[0], list):
            return [of(part) for part in item]
        return (1 + math.tanh((item[0] - item[1]) / 2)) / 2

    return of(scores.tolist())


def attention_only(w, contexts, skips=()):
    embeddings = [w["W_E"][column] for column in contexts.unbind(dim=1)]
    places = list(w["W_pos"])

    def streams(part):
        terms = [
            [e for e in (emb,) if f"emb_{part}" not in skips]
            + [p.expand_as(emb) for p in (pos,) if f"pos_{part}" not in skips]
            for emb, pos in zip(embeddings, places)
        ]
        return [sum(some) if some else torch.zeros_like(embeddings[0]) for some in terms]

    read, carried = streams("QK"), streams("OV")
    outputs = [] if "residual" in skips else [embeddings[1] + places[1]]
    for Q, K, V, out in zip(*(w[name] for name in ("W_Q", "W_K", "W_V", "W_O"))):
        one, other = (((read[1] @ Q.T) * (x @ K.T)).sum(dim=1) for x in read)
        share = torch.sigmoid((one - other) / math.sqrt(len(Q))).unsqueeze(1)
        outputs.append((other_value := carried[1] @ V.T) @ out.T)
        outputs.append((share * (carried[0] @ V.T - other_value)) @ out.T)
    return sum(output @ w["W_U"].T for output in outputs)


def head_logits(w, contexts):
    names = ("W_Q", "W_K", "W_V", "W_O")
    whole = attention_only(w, contexts)
    alone = [
        attention_only(
            {**w, **{name: w[name][h : h + 1] for name in names}}, contexts, ["residual"]
        )
        for h in range(len(w["W_Q"]))
    ]
    return torch.stack(alone, dim=1), whole - sum(alone)


def two_losses(logits, law, tokens):
    logs = list(torch.log_softmax(logits, dim=-1))
    known = -sum(p * math.log(p) for row in law.tolist() for p in row if p > 0)
    crossed = [torch.dot(p.to(row.dtype), row) for p, row in zip(law, logs)]
    chosen = [row[token] for row, token in zip(logs, tokens.tolist())]
    return (-sum(crossed) - known) / len(logs), -sum(chosen) / len(chosen)


def train(w, names, contexts, law, steps):
    chosen = [w[name] for name in names]
    means = [torch.zeros_like(item) for item in chosen]
    squares = [torch.zeros_like(item) for item in chosen]
    losses = []
    for step in range(1, steps + 1):
        loss = two_losses(attention_only(w, contexts), law, contexts[:, 1])[0]
        losses.append(float(loss))
        gradients = torch.autograd.grad(loss, chosen)
        with torch.no_grad():
            for item, mean, square, gradient in zip(chosen, means, squares, gradients):
                mean.mul_(0.9).add_(0.1 * gradient)
                square.mul_(0.999).add_(0.001 * gradient**2)
                size = (square / (1 - 0.999**step)).sqrt() + 1e-8
                item -= 0.01 * (mean / (1 - 0.9**step)) / size
    return losses


def train_uneven(w, contexts, law, chances, steps, skips=()):
    fixed = sum(
        p * x * math.log(x) for p, row in zip(chances.tolist(), law.tolist()) for x in row if x
    )
    joint = law * chances[:, None]
    optimizer = torch.optim.Adam(list(w.values()), lr=0.01)
    losses = []
    while len(losses) < steps:
        optimizer.zero_grad()
        loss = fixed - (joint * torch.log_softmax(attention_only(w, contexts, skips), dim=1)).sum()
        loss.backward()
        optimizer.step()
        losses.append(float(loss.detach()))
    return losses


def gauge(A, B):
    # Principal angles: each gives twice the square of its sine.
    bases = [torch.linalg.svd(X - X.mean(dim=0), full_matrices=False).U for X in (A, B)]
    cosines = torch.linalg.svdvals(bases[0].T @ bases[1]).tolist()
    return math.sqrt(sum(2 * max(0.0, 1 - cosine**2) for cosine in cosines))


def attention_maps(w):
    E, places = w["W_E"].tolist(), w["W_pos"].tolist()
    first, second = ([[a + b for a, b in zip(row, place)] for row in E] for place in places)

    def times(matrix, vector):
        return [math.fsum(a * b for a, b in zip(row, vector)) for row in matrix]

    maps = []
    for Q, K in zip(w["W_Q"].tolist(), w["W_K"].tolist()):
        one = [[0.0] * len(E) for _ in E]
        for j, x in enumerate(second):
            query = times(Q, x)
            own = math.fsum(a * b for a, b in zip(query, times(K, x)))
            for i, other in enumerate(first):
                score = math.fsum(a * b for a, b in zip(query, times(K, other)))
                one[i][j] = 1 / (1 + math.exp((own - score) / math.sqrt(len(Q))))
        maps.append(one)
    return maps, [torch.linalg.svdvals(torch.tensor(one).double()).tolist() for one in maps]


def promoted(parts, tokens):
    N = parts.shape[2]
    table = [[False] * N for _ in range(N)]
    rows = list(zip(parts.tolist(), tokens.tolist()))
    for token in set(tokens.tolist()):
        some = [heads for heads, follows in rows if follows == token]
        for other in range(N):
            table[token][other] = all(
                math.fsum(heads[h][other] - math.fsum(heads[h]) / N for heads in some) > 0
                for h in range(parts.shape[1])
            )
    return table


def superposition(E, U, tokens):
    N = len(U)
    means = [math.fsum(column) / N for column in U.T.tolist()]
    rows = [[a - b for a, b in zip(row, means)] for row in U.tolist()]

    def dot(a, b):
        return math.fsum(x * y for x, y in zip(a, b))

    def cosine(a, b):
        return dot(a, b) / math.hypot(*a) / math.hypot(*b)

    own = [cosine(e, rows[token]) for e, token in zip(E.tolist(), tokens.tolist())]
    gram = [[dot(a, b) for a in rows] for b in rows]
    return gram, [[cosine(a, b) for a in rows] for b in rows], own


def second_order(law, U):
    vectors = []
    for chances in law.tolist():
        roots = [math.sqrt(p) for p in chances]
        # A column of ones fits the constant that does not count.
        left = [[r * u for u in (*row, 1.0)] for r, row in zip(roots, U.tolist())]
        right = [[r * math.log(p)] for r, p in zip(roots, chances)]
        fit = torch.linalg.lstsq(torch.tensor(left).double(), torch.tensor(right).double())
        vectors.append([value for (value,) in fit.solution.tolist()[:-1]])
    return vectors


def principal(law, d):
    logs = [[math.log(p) for p in row] for row in law.tolist()]
    logs = [[x - math.fsum(row) / len(row) for x in row] for row in logs]
    directions = torch.linalg.svd(torch.tensor(logs).double()).Vh.tolist()
    return [list(column) for column in zip(*directions[:d])]
