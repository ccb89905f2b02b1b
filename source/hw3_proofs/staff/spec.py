"""hw3_proofs: its questions, and how each is asked and checked."""

from collections.abc import Callable, Sequence

import numpy as np

from autograder.marks.chance import Unbiased
from autograder.marks.checks import Close, tolerance
from autograder.marks.costs import LinearInLength, SameGrowth, growing_points
from autograder.marks.derivation import Derivation
from autograder.model import Array, Ask, Homework, Inputs, Limits, Question, Value, one_case

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
    """Name two lengths, both longer than 4 C M."""
    return [{"short": 4096, "long": 16384, "D": 5, "C": 8, "M": 6}]


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


# What is known of the lines of derivations. Waypoints are named in the notebook.
def _squares(x: Array, y: Array) -> Array:
    return np.array(sum(x[i] ** 2 * y[i] ** 2 for i in range(len(x))))


def _cross(x: Array, y: Array) -> Array:
    pairs = [(i, j) for i in range(len(x)) for j in range(len(x)) if i != j]
    return np.array(sum(x[i] * y[i] * x[j] * y[j] for i, j in pairs))


def _softmax_like(phi_Q: Array, phi_K: Array, V: Array) -> Array:
    similarities = phi_Q @ phi_K.T
    rows: Array = similarities @ V / similarities.sum(axis=1, keepdims=True)
    return rows


def _gaussian(D: int, squared_distance: float) -> Array:
    return np.array(np.exp(-squared_distance / (2 * np.sqrt(D))))


_of_gradients = Derivation(
    waypoints={
        "gradient of the reconstruction loss": lambda X, W, **_: -2 * (X - W @ X) @ X.T,
        "gradient of the regularisation loss": lambda W, lam, **_: 2 * lam * W,
        "A": lambda X, lam, **_: X @ X.T + lam * np.eye(len(X)),
    },
    first=None,
    result="purifier",
    right_result=lambda W_minimum, **_: W_minimum,
)
_of_eigenvalues = Derivation(
    waypoints={
        "eigenvalues of X X^T": lambda s, **_: s**2,
        "eigenvalues of A^-1": lambda s, lam, **_: 1 / (s**2 + lam),
        "eigenvalues of the purifier": lambda s, lam, **_: s**2 / (s**2 + lam),
    },
    first=lambda X, lam, **_: reference.purifier(X, lam)["the purifier"],
    result="purifier_from_svd",
    right_result=lambda U, s, lam, **_: reference.purifier_from_svd(U, s, lam)["the purifier"],
)
_of_moments = Derivation(
    waypoints={
        "E[(q.k)^2]": lambda mu, sigma, d, **_: np.array(
            d * (sigma**2 + mu**2) ** 2 + d * (d - 1) * mu**4
        ),
        "(E[q.k])^2": lambda mu, d, **_: np.array(d**2 * mu**4),
        "Var[q.k]": lambda mu, sigma, d, **_: reference.dot_variance(mu, sigma, d)["the variance"],
    },
    first=lambda mu, sigma, d, **_: reference.dot_variance(mu, sigma, d)["the variance"],
    result="dot_variance",
    right_result=lambda mu, sigma, d, **_: reference.dot_variance(mu, sigma, d)["the variance"],
)
_of_terms = Derivation(
    waypoints={
        "squares": _squares,
        "cross terms": _cross,
        "linear terms": lambda x, y: np.array(2 * x @ y),
    },
    first=lambda x, y: np.array((x @ y + 1) ** 2),
    result="quadratic_features",
    right_result=lambda x, y: np.array((x @ y + 1) ** 2),
)
_of_sums = Derivation(
    waypoints={
        "S": lambda phi_K, V, **_: np.sum(
            [np.outer(*pair) for pair in zip(phi_K, V, strict=True)], axis=0
        ),
        "z": lambda phi_K, **_: phi_K.sum(axis=0),
    },
    first=_softmax_like,
    result="kernel_attention",
    right_result=_softmax_like,
)
_of_factors = Derivation(
    waypoints={
        "factor of q": lambda q, **_: 1 / _gaussian(len(q), q @ q),
        "Gaussian kernel": lambda q, k: _gaussian(len(q), (q - k) @ (q - k)),
        "factor of k": lambda k, **_: 1 / _gaussian(len(k), k @ k),
    },
    first=lambda q, k: np.array(np.exp(q @ k / np.sqrt(len(q)))),
    result="gaussian_sigma",
    right_result=lambda q, k: np.array(np.exp(q @ k / np.sqrt(len(q)))),
)


def _kernel_of_frequencies(inputs: Inputs) -> tuple[Array, Array]:
    """Return the Gaussian kernel at each difference, and the variance of one draw's estimate."""
    squared = (inputs["away"] ** 2).sum(axis=1) / inputs["sigma"] ** 2
    return np.exp(-squared / 2), (1 - np.exp(-squared)) ** 2 / 2


def _describe(inputs: Inputs) -> str:
    """Say what a case was by its sizes; its other numbers stay hidden."""
    sizes = [
        f"{name} of shape {np.shape(item)}" if isinstance(item, np.ndarray) else f"{name} = {item}"
        for name, item in inputs.items()
        if not isinstance(item, float)
    ]
    hidden = " and ".join(name for name, item in inputs.items() if isinstance(item, float))
    sizes += [f"some {hidden}"] if hidden else []
    return ", ".join(sizes) or "this question"


def _words_of_losses(inputs: Inputs, value: Value) -> tuple[str, ...]:
    """Say which of the four are wrong, and whether their sums are right."""
    got, right = value["the list of losses"], reference.purification_losses(**inputs)
    names = ("rec_I", "reg_I", "rec_P", "reg_P")
    wrong = np.abs(got - right["the list of losses"]) > NUMBER_TOLERANCE
    return (f"Wrong: {', '.join(n for n, bad in zip(names, wrong, strict=True) if bad)}.",)


def _words_of_threshold(inputs: Inputs, value: Value) -> tuple[str, ...]:
    """Say which matrix has the smaller objective at the number that is given."""
    rec_I, reg_I, rec_P, reg_P = reference.purification_losses(float(value["the threshold"]))[
        "the list of losses"
    ]
    smaller = "I" if rec_I + reg_I < rec_P + reg_P else "diag(1, 0)"
    return (f"At this lam the objective of {smaller} is the smaller one.",)


def _words_of_purifier(inputs: Inputs, value: Value) -> tuple[str, ...]:
    """Say what of a matrix cannot be, whatever the data is."""
    W = value["the purifier"]
    said = []
    if not np.allclose(W, W.T, atol=1e-3):
        said.append("It is not symmetric.")
    else:
        factors = np.linalg.eigvalsh(W)
        if factors.max() > 1 + 1e-6:
            said.append("It makes some direction larger than it was.")
        if factors.min() < -1e-6:
            said.append("It turns some direction round.")
        if said:
            said.append("It makes some direction larger, or turns it round.")
        if np.allclose(W @ W, W, atol=1e-3):
            said.append("Each direction is kept whole or dropped, which no lam > 0 does.")
    return tuple(said)


def _words_of_interval(inputs: Inputs, value: Value) -> tuple[str, ...]:
    """Say what is wrong with each end, by the factors there."""
    low, high = value["the interval"]
    if low <= 0:
        return ("The lower end is not positive.",)
    if low >= high:
        return ("The lower end is not below the upper one.",)
    said = []
    if 4.0**2 / (4.0**2 + high) < 0.8 - 1e-6:
        said.append("At the upper end, one of the first three directions keeps less than 0.8.")
    if 1 / (1 + low) > 0.5 + 1e-6:
        said.append("At the lower end, one of the other directions keeps more than 0.5.")
    return (" ".join(said) or "All conditions hold in it, and beyond it as well.",)


def _words_of_argmax(inputs: Inputs, value: Value) -> tuple[str, ...]:
    """Say whether what came back is one of the values."""
    near = np.abs(inputs["V"] - value["the output"]).max(axis=1) < 1e-4
    if near.any():
        return ("It is the value of another key than the one with the largest score.",)
    return ("It is none of the values.",)


def _words_of_variance(inputs: Inputs, value: Value) -> tuple[str, ...]:
    """Say what no variance is."""
    return ("It is negative, which no variance is.",) * bool(value["the variance"] < 0)


def _words_of_attention(inputs: Inputs, value: Value) -> tuple[str, ...]:
    """Say whether outputs could be weighted means of the values."""
    V, output = inputs["V"], value["the output"]
    outside = (output > V.max(axis=0) + 1e-6) | (output < V.min(axis=0) - 1e-6)
    return (
        "Some numbers lie outside the range of the values, where no weighted mean of them can be.",
    ) * bool(outside.any())


def _words_of_count(inputs: Inputs, value: Value) -> tuple[str, ...]:
    """Say whether there are too many features or too few."""
    right = reference.feature_dimension(**inputs)["the number of features"]
    many = value["the number of features"] > right
    return ("Fewer features are enough." if many else "So few features are not enough.",)


def _formula(
    id: str,
    right: Callable[..., dict[str, Array]],
    cases: Callable[[np.random.Generator], Sequence[Inputs]] = one_case,
    *,
    allowed: float = NUMBER_TOLERANCE,
    adapter: str = "",
    distance: bool = True,
    words: Callable[[Inputs, Value], tuple[str, ...]] = lambda inputs, value: (),  # noqa: ARG005
) -> Question:
    """Return a question that compares what a function of the same name gives.

    distance: whether to say by how much it is off, which gives the answer away where a student
    knows the input, or there is none.
    """
    ask = Ask(adapter or id, (id,), without=PROVIDED)
    return Question(id, ask, Close(right, allowed, _describe, words, distance), cases)


def _derivation(
    check: Derivation, cases: Callable[[np.random.Generator], Sequence[Inputs]], id: str
) -> Question:
    return Question(id, Ask(id, (id,), without=PROVIDED), check, cases)


# What the notebook provides to try answers out on is no answer.
PROVIDED = ("slope", "minimiser", "all_pairs")

HOMEWORK = Homework(
    title="Homework 3: attention on paper",
    limits=Limits(question_seconds=40.0),
    gives=(
        "-2.17, 1.98, 2.41, -2.03], [0.02, -0.01, 0.01, -0.02",
        "gradient of the reconstruction loss",
        "gradient of the regularisation loss",
    ),
    questions=(
        _formula(
            "purification_losses",
            reference.purification_losses,
            losses_cases,
            adapter="losses",
            distance=False,
            words=_words_of_losses,
        ),
        _formula(
            "purification_threshold",
            reference.purification_threshold,
            adapter="threshold",
            distance=False,
            words=_words_of_threshold,
        ),
        _derivation(_of_gradients, purifier_lines, "purifier_derivation"),
        _formula(
            "purifier",
            reference.purifier,
            purifier_cases,
            allowed=MATRIX_TOLERANCE,
            words=_words_of_purifier,
        ),
        _derivation(_of_eigenvalues, svd_lines, "svd_derivation"),
        _formula(
            "purifier_from_svd",
            reference.purifier_from_svd,
            svd_cases,
            allowed=MATRIX_TOLERANCE,
            words=_words_of_purifier,
        ),
        _formula(
            "lambda_interval",
            reference.lambda_interval,
            adapter="interval",
            distance=False,
            words=_words_of_interval,
        ),
        Question("argue_purifier"),
        _formula(
            "argmax_attention", reference.argmax_attention, argmax_cases, words=_words_of_argmax
        ),
        Question("argue_argmax"),
        _formula("dot_mean", reference.dot_mean, moment_cases, adapter="mean"),
        _derivation(_of_moments, variance_lines, "variance_derivation"),
        _formula(
            "dot_variance",
            reference.dot_variance,
            moment_cases,
            adapter="variance",
            words=_words_of_variance,
        ),
        _formula("scale", reference.scale, scale_cases, distance=False),
        Question("argue_scale"),
        Question("argue_denominator"),
        _derivation(_of_terms, features_lines, "features_derivation"),
        _formula(
            "quadratic_features",
            reference.quadratic_products,
            features_cases,
            allowed=FEATURES_TOLERANCE,
            adapter="quadratic_products",
        ),
        _formula(
            "feature_dimension",
            reference.feature_dimension,
            dimension_cases,
            words=_words_of_count,
            distance=False,
        ),
        _derivation(_of_sums, linear_lines, "linear_derivation"),
        _formula(
            "kernel_attention",
            reference.kernel_attention,
            attention_cases,
            allowed=FEATURES_TOLERANCE,
            words=_words_of_attention,
        ),
        Question(
            "kernel_attention_cost",
            Ask("kernel_attention_cost", ("kernel_attention",)),
            LinearInLength(ratio=5.0, held=8.0),
            cost_cases,
            needs=("kernel_attention",),
        ),
        Question(
            "costs",
            Ask("costs", ("softmax_time", "softmax_memory", "linear_time", "linear_memory")),
            SameGrowth(
                {
                    "softmax_time": (reference.softmax_time,),
                    "softmax_memory": (reference.softmax_memory,),
                    "linear_time": (reference.linear_time,),
                    "linear_memory": (reference.linear_memory, reference.linear_memory_by_rows),
                },
                VARIABLES,
            ),
            growth_cases,
        ),
        Question("argue_linear"),
        _derivation(_of_factors, gaussian_lines, "gaussian_derivation"),
        _formula("gaussian_sigma", reference.gaussian_sigma, sigma_cases, distance=False),
        _formula(
            "random_features",
            reference.random_products,
            random_features_cases,
            allowed=FEATURES_TOLERANCE,
            adapter="random_products",
        ),
        Question(
            "sample_frequencies",
            Ask("sample_frequencies", ("sample_frequencies",)),
            Unbiased(
                "the frequencies",
                lambda inputs: (inputs["D_random"], inputs["D"]),
                lambda draws, inputs: np.cos(draws @ inputs["away"].T),
                _kernel_of_frequencies,
            ),
            frequencies_cases,
        ),
        Question("argue_random"),
    ),
)
