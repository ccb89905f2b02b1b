"""Hidden inputs of hw3_proofs, and the tolerances that follow from their sizes."""

from collections.abc import Sequence

import numpy as np

from autograder.marks.checks import tolerance
from autograder.marks.costs import growing_points
from autograder.model import Array, Inputs

from . import reference

# A closed form is a handful of operations, in whatever format a student's torch may have.
NUMBER_TOLERANCE = tolerance(((1, 1.0),) * 4, scale=1.0)
# A product with its transpose, an inverse whose condition number is below 200, a product.
MATRIX_TOLERANCE = tolerance(((9, 1.0), (6, 200.0), (6, 1.0)), scale=0.5)
# Features, their products or sums, a quotient of sums over up to 11 keys.
FEATURES_TOLERANCE = tolerance(((8, 2.0), (60, 1.0), (11, 1.0), (11, 1.0)), scale=2.0)
VARIABLES = ("N", "D", "M", "C")


def losses_cases(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw three weights of the regularisation."""
    return [{"lam": float(lam)} for lam in np.exp(rng.uniform(-7, 2, size=3))]


def purifier_cases(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw data that is wide, tall and square, with small and large lam."""
    sizes = ((2, 5), (5, 2), (4, 4), (3, 7), (6, 3))
    return [_purification(rng, m, n)[0] for m, n in sizes]


def svd_cases(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw thin and full U; for tall data a full U has more columns than there are singular values."""
    cases = []
    for m, n, full in ((3, 6, True), (6, 3, True), (5, 2, False), (4, 4, True), (5, 4, True)):
        case, U, s = _purification(rng, m, n)
        cases.append({"U": U if full else U[:, : len(s)], "s": s, "lam": case["lam"]})
    return cases


def _purification(rng: np.random.Generator, m: int, n: int) -> tuple[Inputs, Array, Array]:
    """Draw data (m, n), and return it and lam, its full U and its singular values.

    lam is far from 1, so that its square is another number; the singular values lie
    between 0.5 and 4 and apart, so that the squares are others, too.
    """
    U, V = (np.linalg.qr(rng.normal(size=(size, size)))[0] for size in (m, n))
    s = np.sort(np.exp(rng.uniform(np.log(0.5), np.log(4.0), size=min(m, n))))[::-1]
    lam = float(np.exp(rng.choice([-1, 1]) * rng.uniform(np.log(1.6), np.log(10.0))))
    return {"X": U[:, : len(s)] * s @ V[:, : len(s)].T, "lam": lam}, U, s


def argmax_cases(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw keys of which one is best by a clear margin, and neither the nearest nor the longest."""
    cases: list[Inputs] = []
    for n, d, v_dim in ((4, 3, 2), (7, 2, 5), (1, 4, 3), (5, 6, 1)):
        while True:
            q, K = rng.normal(size=d), rng.normal(size=(n, d))
            K *= np.exp(rng.uniform(-1, 1, size=(n, 1)))
            scores, lengths = K @ q, np.linalg.norm(K, axis=1)
            others = (-np.linalg.norm(K - q, axis=1), lengths, scores / lengths, np.abs(scores))
            clear = np.ptp(np.sort(scores)[-2:]) > 0.05
            if n == 1 or (clear and scores.argmax() not in {other.argmax() for other in others}):
                break
        cases.append({"q": q, "K": K, "V": rng.normal(size=(n, v_dim))})
    return cases


def moment_cases(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw mu that is not 0 and sigma that is neither 0 nor 1, of which no power is near another."""
    return [
        {
            "mu": float(rng.choice([-1, 1]) * rng.uniform(0.3, 2.0)),
            "sigma": float(rng.choice([rng.uniform(0.3, 0.8), rng.uniform(1.3, 2.5)])),
            "d": int(d),
        }
        for d in (rng.integers(2, 9), rng.integers(10, 99), rng.integers(100, 999))
    ]


def scale_cases(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw dimensions."""
    return [{"d": int(d)} for d in rng.choice(np.arange(2, 2000), size=4, replace=False)]


def features_cases(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw pairs of vectors; D = 1 alone would not show whether the cross terms are there."""
    shapes = ((4, 5), (2, 3, 2), (3,), (6, 1), (2, 8))
    return [{"x": rng.normal(size=shape), "y": rng.normal(size=shape)} for shape in shapes]


def dimension_cases(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw dimensions, and 1."""
    return [{"D": int(D)} for D in (1, *rng.choice(np.arange(2, 40), size=3, replace=False))]


def attention_cases(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw queries, keys and values whose sizes all differ."""
    cases = []
    for N, D, C, M in ((4, 3, 5, 2), (9, 2, 7, 4), (1, 5, 2, 3), (11, 4, 3, 6)):
        Q, K = rng.normal(size=(N, D)), rng.normal(size=(N, D))
        cases.append({"Q": Q, "K": K, "V": rng.normal(size=(N, M)), "A": rng.normal(size=(D, C))})
    return cases


def cost_cases(rng: np.random.Generator) -> Sequence[Inputs]:
    """Name two lengths: so long that pairs stand out, so short that a loop fits into 200 MB."""
    return [{"short": 1024, "long": 4096, "D": 5, "C": 8, "M": 6}]


def sigma_cases(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw dimensions, at least 2: at 1, sigma and its square are the same."""
    return [{"D": int(D)} for D in rng.choice(np.arange(2, 500), size=4, replace=False)]


def random_features_cases(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw points and frequencies."""
    return [
        {
            "x": rng.normal(size=(*shape, D)),
            "y": rng.normal(size=(*shape, D)),
            "W": rng.normal(size=(D_random, D)),
        }
        for shape, D, D_random in (((4,), 3, 7), ((2, 3), 5, 4), ((), 6, 9), ((3,), 2, 1))
    ]


def frequencies_cases(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw sigma at two D of at least 4, far enough from 1 for its inverse to be another number."""
    cases = []
    for D in (4, 6):
        sigma = float(rng.choice([rng.uniform(0.5, 0.75), rng.uniform(1.35, 2.0)]))
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
    return [growing_points(rng, VARIABLES, {"D": "C"})]


def purifier_lines(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw data and any W; the minimum is where equations hold."""
    cases = []
    for case in purifier_cases(rng):
        minimum = reference.purifier(**case)["the purifier"]
        cases.append({**case, "W": rng.normal(size=minimum.shape), "W_minimum": minimum})
    return cases[:3]


def svd_lines(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw data with its full U and a singular value for each column, which may be 0."""
    cases = []
    for m, n in ((3, 6), (5, 2), (4, 4)):
        case, U, s = _purification(rng, m, n)
        cases.append({**case, "U": U, "s": np.pad(s, (0, m - len(s)))})
    return cases


def variance_lines(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw moments of which none hides behind the others, so that few draws tell wrong lines, and a seed."""
    return [
        {
            "mu": float(rng.choice([-1, 1]) * rng.uniform(0.9, 1.6)),
            "sigma": float(rng.choice([rng.uniform(0.6, 0.8), rng.uniform(1.25, 1.5)])),
            "d": d,
            "seed": int(rng.integers(2**31)),
        }
        for d in (3, 7, 4)
    ]


def features_lines(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw pairs of vectors."""
    return [{"x": rng.normal(size=D), "y": rng.normal(size=D)} for D in (4, 2, 7)]


def linear_lines(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw positive features of queries and keys, and values."""
    return [
        {
            "phi_Q": rng.uniform(0.1, 2, size=(N, C)),
            "phi_K": rng.uniform(0.1, 2, size=(N, C)),
            "V": rng.normal(size=(N, M)),
        }
        for N, C, M in ((6, 3, 2), (4, 5, 3), (7, 2, 4))
    ]


def gaussian_lines(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw queries and keys."""
    return [{"q": rng.normal(size=D), "k": rng.normal(size=D)} for D in (4, 2, 9)]
