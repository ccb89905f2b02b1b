"""Hidden inputs of hw3_proofs, and the tolerances that follow from their sizes."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from autograder.kit import Array, Inputs, growing_points, tolerance

from . import reference

# A closed form is a handful of operations, in whatever format a student's torch may have.
NUMBER_TOLERANCE = tolerance(((1, 1.0),) * 4, scale=1.0)
# The threshold is a sum of four squares, and small itself.
THRESHOLD_TOLERANCE = tolerance(((4, 1.0),), scale=0.001)
# A product with its transpose, an inverse whose condition number is below 200, a product.
MATRIX_TOLERANCE = tolerance(((60, 1.0), (40, 200.0), (40, 1.0)), scale=0.15)
# Features, their products or sums, a quotient of sums over up to 11 keys.
FEATURES_TOLERANCE = tolerance(((8, 2.0), (60, 1.0), (11, 1.0), (11, 1.0)), scale=2.0)
# Products of features may cancel: the terms of (1 + x y)^2 are as large as (1 + |x| |y|)^2.
PRODUCTS_TOLERANCE = tolerance(((8, 2.0), (60, 1.0)), scale=20.0)
# As for features, for rows of the counted pass, whose sums are over LONG keys.
SHORT, LONG = 256, 1024
COUNTED_TOLERANCE = tolerance(((8, 2.0), (60, 1.0), (LONG, 1.0), (LONG, 1.0)), scale=1.0)
VARIABLES = ("N", "D", "M", "C")


def losses_cases(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw three weights of the regularisation: small, below 1 and above."""
    ranges = ((-7, -4), (-3, -0.5), (0.5, 2))
    return [{"lam": float(np.exp(rng.uniform(*ends)))} for ends in ranges]


# Data that is wide, tall and square, each of them with a small and a large lam. The last is too
# large for `minimiser`, whose steps grow with the fourth power: an answer that has brought it
# back under another name does not finish.
LARGE = (40, 60)


def purifier_cases(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw data that is wide, tall and square, with small and large lam."""
    cases = []
    for m, n in ((2, 5), (5, 2), (4, 4)):
        cases += [_purification(rng, m, n, large=large)[0] for large in _both(rng)]
    dead, _, _ = _purification(rng, 3, 5)
    dead = {**dead, "X": _without_first(dead["X"])}
    return [*cases, dead, _purification(rng, 6, 3)[0], _purification(rng, *LARGE)[0]]


def _without_first(X: Array) -> Array:
    """Return data whose first sensor measures nothing."""
    return X * (np.arange(len(X)) > 0)[:, None]


def svd_cases(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw thin and full U; for tall data a full U has more columns than there are singular values.

    A single singular value multiplies the first column alone. Those of the last case are large.
    """
    cases = []
    sizes = ((3, 6, True), (6, 3, True), (5, 2, False), (5, 4, True), (4, 1, True), (3, 1, False))
    for m, n, full in sizes:
        cases += [_decomposed(rng, m, n, full=full, large=large) for large in _both(rng)]
    large = _decomposed(rng, *LARGE, full=True)
    return [*cases, {**large, "s": 4 * large["s"]}]


def _decomposed(
    rng: np.random.Generator, m: int, n: int, *, full: bool, large: bool | None = None
) -> Inputs:
    """Draw a full or a thin U, singular values and lam."""
    case, U, s = _purification(rng, m, n, large=large)
    return {"U": U if full else U[:, : len(s)], "s": s, "lam": case["lam"]}


def _both(rng: np.random.Generator) -> list[bool]:
    """Return False and True in a random order."""
    return [bool(item) for item in rng.permutation(2)]


def _purification(
    rng: np.random.Generator, m: int, n: int, *, large: bool | None = None
) -> tuple[Inputs, Array, Array]:
    """Draw data (m, n), and return it and lam, its full U and its singular values.

    lam is far from 1, so that its square is another number; the singular values lie
    between 0.5 and 4 and apart, so that the squares are others, too.
    """
    U, V = (np.linalg.qr(rng.normal(size=(size, size)))[0] for size in (m, n))
    s = np.sort(np.exp(rng.uniform(np.log(0.5), np.log(4.0), size=min(m, n))))[::-1]
    sign = rng.choice([-1, 1]) if large is None else 2 * large - 1
    lam = float(np.exp(sign * rng.uniform(np.log(1.6), np.log(10.0))))
    return {"X": U[:, : len(s)] * s @ V[:, : len(s)].T, "lam": lam}, U, s


def argmax_cases(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw keys whose best is first, in the middle, last or the only one, with both signs.

    In the last case two scores are nearly equal, so that only a very sharp softmax hides it.
    """
    kinds = (
        (4, 3, 2, 0, False),
        (4, 3, 2, 3, False),
        (7, 2, 5, 6, True),
        (6, 6, 1, 2, True),
        (5, 1, 3, 1, False),
        (6, 6, 1, 3, False),
        (5, 3, 4, 0, True),
        (1, 4, 3, 0, True),
    )
    while True:
        cases = [_keys(rng, *kind) for kind in kinds]
        missed = [_missed_in_other_ways(**case) for case in cases]
        if np.sum(missed, axis=0).min() >= 2:
            return [*cases, _nearly_equal(rng)]


def _nearly_equal(rng: np.random.Generator) -> Inputs:
    """Draw two best keys whose scores are 1 / 4,096 to 3 / 4,096 apart, which single precision has."""
    q, K = rng.integers(1, 4, size=3).astype(float), rng.integers(-3, 3, size=(5, 3)).astype(float)
    best, next_best = rng.permutation(5)[:2]
    K[[best, next_best]] = 3
    K[next_best, 0] -= 2.0**-12
    return {"q": q, "K": K, "V": rng.normal(size=(5, 4))}


def _keys(
    rng: np.random.Generator, n: int, d: int, v_dim: int, place: int, negative: bool
) -> Inputs:
    """Draw keys of which the one at a place is best by a clear margin."""
    while True:
        q, K, V = rng.normal(size=d), rng.normal(size=(n, d)), rng.normal(size=(n, v_dim))
        K *= np.exp(rng.uniform(-1, 1.5, size=(n, 1)))
        if negative:
            K *= -np.sign(K @ q)[:, None]
            # No search may begin at some large negative number: all scores are below -10,000.
            q *= rng.uniform(1e4, 2e4) / np.abs(K @ q).min()
        swapped = np.array([place, (K @ q).argmax()])
        K[swapped] = K[swapped[::-1]]
        scores = np.sort(K @ q)
        clear = abs(scores[-1]) > 0.05 and (n == 1 or scores[-1] - scores[-2] > 0.05)
        if clear and negative == (scores[-1] < 0):
            return {"q": q, "K": K, "V": V}


def _missed_in_other_ways(q: Array, K: Array, V: Array) -> Array:
    """Return which ways to choose a key, by something else than its score, miss the best one."""
    scores, lengths = K @ q, np.linalg.norm(K, axis=1)
    ways = (
        -scores,
        np.abs(scores),
        scores / lengths,
        lengths,
        -np.linalg.norm(K - q, axis=1),
        -np.abs(K - q).sum(axis=1),
        (K * q).max(axis=1),  # the maximum over coordinates, of products and of keys
        (K * q).min(axis=1),
        K.max(axis=1),
        K.sum(axis=1),
        K[:, 0] * q[0],
        np.abs(K) @ np.abs(q),
        np.linalg.norm(V, axis=1),
    )
    return np.array([way.argmax() != scores.argmax() for way in ways])


def moment_cases(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw mu of both signs and 0, and sigma below and above 1, of which no power is near another."""
    sizes = (rng.integers(2, 9), rng.integers(10, 99), rng.integers(100, 999))
    mus = (-rng.uniform(1, 2), rng.uniform(0.3, 2), rng.choice([-1, 1]) * rng.uniform(0.3, 2), 0)
    return [
        {
            "mu": float(mu),
            "sigma": float(rng.uniform(1.3, 2.5) if large else rng.uniform(0.3, 0.8)),
            "d": int(d),
        }
        for d, mu, large in zip(
            (*rng.permutation(sizes), rng.integers(2, 9)), mus, _both(rng) + _both(rng), strict=True
        )
    ]


def scale_cases(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw dimensions."""
    return [{"d": int(d)} for d in rng.choice(np.arange(2, 2000), size=4, replace=False)]


def features_cases(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw pairs of vectors; D = 1 alone would not show whether the cross terms are there."""
    shapes = ((4, 5), (2, 3, 4), (3,), (6, 1), (2, 8), (4, 5), (2, 1, 2, 3))
    return [_points(rng, shape) for shape in shapes]


def _points(rng: np.random.Generator, shape: tuple[int, ...]) -> Inputs:
    """Draw x and y, and the order in which each is evaluated twice."""
    x, y = rng.normal(size=shape), rng.normal(size=shape)
    return {"x": x, "y": y, "order": rng.permutation([0, 0, 1, 1])}


def dimension_cases(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw dimensions, and 1."""
    return [{"D": int(D)} for D in (1, *rng.choice(np.arange(2, 40), size=3, replace=False))]


def attention_cases(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw queries, keys and values whose sizes all differ; for the last, phi(x) is x itself.

    There all similarities are negative, and so are the denominators.
    """
    cases = []
    for N, D, C, M in ((4, 3, 5, 2), (9, 2, 7, 4), (1, 5, 2, 3), (11, 4, 3, 6), (4, 3, 5, 2)):
        Q, K = rng.normal(size=(N, D)), rng.normal(size=(N, D))
        cases.append({"Q": Q, "K": K, "V": rng.normal(size=(N, M)), "A": rng.normal(size=(D, C))})
    Q, K = rng.uniform(0.1, 2, size=(2, 4, 3))
    return [*cases, {"Q": -Q, "K": K, "V": rng.normal(size=(4, 2)), "A": np.empty((3, 0))}]


def cost_cases(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw inputs at two lengths, of which the judge looks at some rows.

    They are so long that pairs stand out, and so short that a loop fits into 200 MB.
    """
    D, C, M = 6, 5, 4
    cases = []
    for _ in range(2):
        Q, K = rng.normal(size=(2, LONG, D))
        # Values that go with their keys, so that rows differ by more than rounding.
        V = 2 * K @ rng.normal(size=(D, M)) + rng.normal(size=(LONG, M))
        cases.append(
            {
                "Q": Q,
                "K": K,
                "V": V,
                "A": rng.normal(size=(D, C)),
                "short": SHORT,
                "long": LONG,
                "C": C,
                "M": M,
                # Some late ones among them: the first rows alone are not what is counted.
                "short_rows": _rows(rng, SHORT),
                "long_rows": _rows(rng, LONG),
            }
        )
    return cases


def _rows(rng: np.random.Generator, length: int) -> Array:
    """Draw rows from all eighths of a length, and the last one."""
    eighth = length // 8
    return np.array([*(n * eighth + rng.integers(eighth) for n in range(8)), length - 1])


def sigma_cases(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw dimensions, at least 2: at 1, sigma and its square are the same."""
    return [{"D": int(D)} for D in rng.choice(np.arange(2, 500), size=4, replace=False)]


def random_features_cases(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw points and frequencies."""
    sizes = (
        ((4,), 3, 7),
        ((2, 3), 5, 4),
        ((), 6, 9),
        ((), 2, 1),
        ((3,), 2, 1),
        ((2, 1), 3, 5),
        ((4,), 3, 7),
    )
    return [
        {**_points(rng, (*shape, D)), "W": rng.normal(size=(D_random, D))}
        for shape, D, D_random in sizes
    ]


def frequencies_cases(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw sigma below and above 1, at D of at least 4, where its inverse is another number."""
    cases = []
    for D, large in zip((4, 6, 4), [*(both := _both(rng)), both[1]], strict=True):
        sigma = float(rng.uniform(1.35, 2.0) if large else rng.uniform(0.5, 0.75))
        seed = int(rng.integers(2**31))
        # Differences of points along axes and in any direction, some of them long: there a law
        # that is not normal shows.
        away = np.vstack([np.eye(D)[:2], rng.normal(size=(4, D))])
        away /= np.linalg.norm(away, axis=1)[:, None]
        away *= sigma * np.array([[1], [2], [1], [1], [1], [2]]) * rng.uniform(0.8, 1.2, (6, 1))
        cases.append({"D_random": 2000, "D": D, "sigma": sigma, "seed": seed, "away": away})
    return cases


def growth_cases(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw sizes at which formulas are compared; there are at least as many features as inputs."""
    return [growing_points(rng, VARIABLES, {"D": "C"}) for _ in range(2)]


def purifier_lines(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw data and any W; the minimum is where equations hold."""
    cases = []
    for m, n, dead in ((2, 5, False), (5, 2, False), (4, 4, True), (4, 4, False)):
        case, _, _ = _purification(rng, m, n)
        if dead:
            case = {**case, "X": _without_first(case["X"])}
        minimum = reference.purifier(**case)["the purifier"]
        cases.append({**case, "W": rng.normal(size=minimum.shape), "W_minimum": minimum})
    return cases


def svd_lines(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw data with its full U and a singular value for each column, which may be 0."""
    cases = []
    for m, n in ((3, 6), (5, 2), (4, 4), (4, 4)):
        case, U, s = _purification(rng, m, n)
        cases.append({**case, "U": U, "s": np.pad(s, (0, m - len(s)))})
    return cases


def variance_lines(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw moments of which none hides behind the others, so that few draws tell wrong lines, and a seed."""
    return [
        {
            "mu": float(sign * rng.uniform(0.9, 1.6)),
            "sigma": float(rng.uniform(1.25, 1.5) if large else rng.uniform(0.6, 0.8)),
            "d": d,
            "seed": int(rng.integers(2**31)),
        }
        for d, sign, large in zip((3, 7, 4), (-1, 1, -1), [*_both(rng), True], strict=True)
    ]


def features_lines(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw pairs of vectors."""
    return [{"x": rng.normal(size=D), "y": rng.normal(size=D)} for D in (4, 2, 7, 4)]


def linear_lines(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw positive features of queries and keys, and values."""
    return [
        {
            "phi_Q": rng.uniform(0.1, 2, size=(N, C)),
            "phi_K": rng.uniform(0.1, 2, size=(N, C)),
            "V": rng.normal(size=(N, M)),
        }
        for N, C, M in ((6, 3, 2), (4, 5, 3), (7, 2, 4), (6, 3, 2))
    ]


def gaussian_lines(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw queries and keys."""
    return [{"q": rng.normal(size=D), "k": rng.normal(size=D)} for D in (4, 2, 9, 4)]


# Sums over a block's keys, a maximum, exponentials, and two merges.
MERGE_TOLERANCE = tolerance(((6, 1.0), (8, 2.0), (8, 2.0), (3, 1.0)), scale=1.0)
# Scores over up to 24 coordinates, exponentials of them, sums over up to 2,000 keys, a quotient.
BLOCKS_TOLERANCE = tolerance(((24, 2.0), (8, 2.0), (2000, 1.0), (2000, 1.0)), scale=1.0)
# Queries and keys, their scores, exponentials, sums, logits.
LOGITS_TOLERANCE = tolerance(((24, 2.0), (24, 2.0), (100, 1.0), (24, 1.0)), scale=2.0)


def blocks_lines(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw the scores and values of two blocks, and what is kept of each."""
    cases = []
    sizes = ((4, 3, 2), (1, 5, 3), (6, 2, 4), (4, 3, 2))
    # Both ways round in every draw: the factor of the block with the larger maximum is 1.
    for (n1, n2, M), sign in zip(sizes, rng.permutation([-1, -1, 1, 1]), strict=True):
        case: dict[str, Any] = {}
        s1, s2 = rng.normal(size=n1), rng.normal(size=n2)
        s1 += s2.max() - s1.max() + sign * rng.uniform(0.5, 1.5)
        for number, scores in ((1, s1), (2, s2)):
            values = rng.normal(size=(len(scores), M))
            m, low, high = reference.block_of(scores, values)
            kept = {"s": scores, "V": values, "m": float(m), "l": float(low), "o": high}
            case |= {f"{name}{number}": item for name, item in kept.items()}
        cases.append(case)
    return cases


def merge_cases(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw what is kept of three blocks, in an order; in the last case scores are in the thousands."""
    cases = []
    for N, M, large in ((3, 2, False), (1, 4, False), (5, 3, False), (3, 2, False), (4, 2, True)):
        m = rng.normal(size=(3, N, 1))
        if large:
            # Steps that single precision has; each block is the largest for some query.
            places = (np.arange(3)[:, None] + np.arange(N) + rng.integers(3)) % 3 - 1
            m = 4000.0 * places[:, :, None] + rng.integers(-64, 64, size=(3, N, 1)) / 32
        sums = rng.uniform(1, 6, size=(3, N, 1))
        cases.append(
            {"m": m, "l": sums, "o": sums * rng.normal(size=(3, N, M)), "order": rng.permutation(3)}
        )
    return cases


def blocks_cases(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw queries, keys and values whose sizes all differ; in two cases scores are in the thousands.

    Blocks of one key, blocks longer than all keys, a last block that is shorter, and many keys for
    few queries, where all scores of one query are more than is allowed.
    """
    cases = []
    for N, n, D, M, size in (
        (5, 13, 3, 4, 4),
        (4, 12, 6, 2, 3),
        (3, 2, 2, 5, 7),
        (7, 9, 4, 3, 1),
        (120, 400, 24, 9, 16),
        (8, 700, 9, 7, 16),
    ):
        Q, K = rng.normal(size=(N, D)), rng.normal(size=(n, D))
        V = rng.normal(size=(n, M))
        cases.append({"Q": Q, "K": K, "V": V, "size": size})
    # Whole numbers, so that single precision has the scores; no two largest are nearly the same.
    Q = rng.integers(-3000, 3000, size=(5, 4)).astype(float)
    K = rng.integers(-2, 3, size=(42, 4)).astype(float)
    # No score is near 0: whoever begins with a maximum of 0 divides 0 by 0.
    low = {"Q": np.abs(Q) + 1000, "K": -np.abs(K) - 1, "V": rng.normal(size=(42, 3)), "size": 8}
    return [*cases, {"Q": Q, "K": K, "V": rng.normal(size=(42, 2)), "size": 8}, low]


def decode_cases(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw a layer and tokens that come one at a time, or several; the last case is long."""
    cases = []
    for vocabulary, (d, h, v), pieces in (
        (7, (4, 3, 5), (1,) * 7),
        (5, (6, 4, 3), (5, 1, 1, 3)),
        (9, (3, 5, 4), (8,)),
        (6, (5, 2, 3), (2, 4, 1)),
        (64, (64, 64, 64), (1,) * 72),
    ):
        shapes = {"E": (vocabulary, d), "P": (sum(pieces) + 4, d)}
        shapes |= {"Q": (d, h), "K": (d, h), "V": (d, v), "U": (v, vocabulary)}
        w = {
            name: rng.normal(size=shape) / (1 if name in "EP" else np.sqrt(shape[0]))
            for name, shape in shapes.items()
        }
        tokens, more = (rng.integers(vocabulary, size=many) for many in (sum(pieces), 3))
        cases.append({**w, "tokens": tokens, "more": more, "pieces": np.array(pieces)})
    return cases


def cache_cases(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw sizes of caches, large ones among them, and numbers of 8 to 64 bits."""
    # So few that a number that is off by 1 is not right.
    layers, heads, width, tokens = (int(number) for number in rng.integers(2, 7, size=4))
    few = {"layers": layers, "heads": heads, "width": width, "tokens": tokens, "bits": 16}
    many = [
        {
            "layers": int(rng.integers(5, 100)),
            "heads": int(rng.integers(2, 40)),
            "width": int(rng.integers(4, 200)),
            "tokens": int(rng.integers(12, largest)),
            "bits": int(bits),
        }
        for bits, largest in zip(
            rng.permutation([8, 16, 32, 64]), (20, 500, 10**5, 10**6), strict=True
        )
    ]
    return [few, *many]
