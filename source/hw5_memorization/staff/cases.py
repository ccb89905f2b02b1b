"""The hidden inputs of each question."""

from collections.abc import Sequence

import numpy as np

from autograder.kit import Array, Inputs, Value

from . import reference
from .shared import weights_shapes


def power_cases(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw choices and powers; each place has one choice, all tokens, and an alpha of 1 in some case.

    In the second case the last token is never possible, and in the third one not the first. The
    alphas of the last case are whole numbers, as in the notebook's own calls.
    """
    cases = []
    for N, sizes, ones, start in (
        (7, (4, 3, 1), (1, 0, 0), 0),
        (7, (4, 3, 1), (0, 1, 0), -1),
        (5, (4, 2, 3), (0, 1, 0), 1),
        (6, (1, 6, 6), (0, 0, 1), 0),
        (4, (4, 1, 2), (0, 0, 0), 0),
    ):
        choices = _choices(rng, N - abs(start), sizes, of=N)
        moved = {name: item + max(start, 0) for name, item in choices.items()}
        alphas = np.where(ones, 1.0, rng.permutation([0.1, 0.5, 0.85]) + rng.uniform(0, 0.1, 3))
        cases.append({"alphas": alphas, **moved, "N": N})
    whole = {"alphas": np.ones(3, dtype=int), **_choices(rng, 5, (3, 2, 4)), "N": 5}
    return [*cases, whole]


def last_cases(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw the likeliest tokens, and how likely they are; in the second case never the last token.

    The first two cases have one size and one probability.
    """
    beta_of_two = float(rng.uniform(0.3, 0.95))
    drawn = [
        {"best": rng.integers(0, among, size=(N, N)), "beta": beta}
        for N, among, beta in (
            (6, 6, beta_of_two),
            (6, 5, beta_of_two),
            (9, 9, float(rng.uniform(0.02, 0.08))),
            (4, 4, 1.0),
            (2, 2, float(rng.uniform(0.6, 0.9))),
        )
    ]
    for number in (0, 2, 3, 4):
        best = np.asarray(drawn[number]["best"])
        best[-1, 0] = len(best) - 1
    return drawn


def rank_cases(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw vectors; in the third case some contexts' scores are very large, and some very negative.

    In the fourth case the largest score of every context is 2,000.
    """
    drawn = [
        {"E": rng.normal(size=(n, d)), "U": rng.normal(size=(N, d))}
        for n, N, d in ((12, 7, 3), (12, 7, 3), (6, 5, 4), (7, 5, 4), (5, 9, 2))
    ]
    for case, size in zip(drawn, (4.0, 15.0, 8.0, 8.0, 8.0), strict=True):
        case["E"] *= size / np.abs(case["E"] @ case["U"].T).max()
    scores = drawn[3]["E"] @ drawn[3]["U"].T
    furthest = np.take_along_axis(scores, np.abs(scores).argmax(axis=1, keepdims=True), axis=1)
    drawn[3]["E"] *= 2000 / furthest
    E, U = drawn[2]["E"], drawn[2]["U"]
    U[:, 0] = 0.5 + np.abs(U[:, 0])
    U[:2] = [3.0, 4.0, -5.0, 7.0]  # two tokens that are alike, and longer than all others
    E[0] = (
        20 * U[0]
    )  # they share the largest score, 1,980: without rounding, these are whole numbers
    E[1] = U[2] - U[0] * (U[2] @ U[0]) / (U[0] @ U[0])
    E[1] *= 2000 / (U @ E[1]).max()
    E[2] = [-2000 / U[:, 0].min(), 0.0, 0.0, 0.0]  # the largest score is -2,000
    U = rng.permutation([[0.0, 1.0], [0.0, 2.0], [3.0, 0.0]])
    return [*drawn, {"E": np.array([[0.0, rng.uniform(0.5, 1.5)]]), "U": U}]


def entropy_cases(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw laws: two of one size, without zeros and with some, and two in which most contexts never come.

    Contexts are far from equally likely, and third tokens of different entropies.
    """
    cases: list[Inputs] = []
    for N, sizes in (
        (5, (5, 5, 5)),
        (5, (5, 5, 5)),
        (6, (4, 3, 4)),
        (8, (3, 4, 1)),
        (2, (2, 1, 2)),
    ):
        alphas = rng.uniform(0.2, 0.5, size=3)
        laws = reference.power_unif_law(alphas, N=N, **_choices(rng, N, sizes))
        if sizes[2] > 1:
            for row in laws[2].reshape(-1, N):  # some nearly certain, some nearly even
                row[:] = rng.dirichlet(np.full(N, rng.choice([0.2, 3.0])))
            laws[2][laws[2] < 0.1 * bool(cases)] = 0
            laws[2] /= laws[2].sum(axis=-1, keepdims=True)
        cases.append({f"law_{number}": law for number, law in enumerate(laws, 1)})
    return cases


def share_cases(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw scores: small ones, and such whose exponentials are infinite, or all zero; some equal.

    Their differences are of every size between.
    """
    even = np.full((1, 2), 900 * rng.normal())
    between = np.arange(12).reshape(3, 4, 1) * [1, 0]
    far = np.array([[6000.0, -6000.0], [-6000.0, 6000.0]])
    apart = _short(rng.normal(size=(4, 2))) + np.array([[6000], [6000], [-6000], [-6000]])
    return [
        {"scores": rng.normal(size=(7, 2))},
        {"scores": rng.permutation(np.concatenate([far, apart, even]))},
        {"scores": rng.permuted(rng.normal(size=(3, 4, 2)) + between, axis=2)},
        {"scores": rng.normal(size=(2, 2))},
        {"scores": rng.normal(size=2)},
        {"scores": np.array([[[0.0, rng.normal()]], [[0.0, 0.0]]])},
    ]


EVERYTHING = reference.SKIPS
QK, OV = EVERYTHING[:2], EVERYTHING[2:4]
SWITCHES_ON = (
    (),
    *((name,) for name in EVERYTHING),
    QK,
    OV,
    (*QK, *OV),
    ("emb_QK", "pos_OV", "residual"),
    ("pos_QK", "emb_OV", "residual"),
    EVERYTHING,
)
"""Each switch alone, and those together that leave nothing to read."""
SHORT = 2.0**-12
"""Of the shortest columns and rows: their directions are what they are, whatever the format."""
EQUAL = range(11, 21)
"""How many numbers the columns of each pair of the same space have."""
USUAL = (7, 4, 3, 6, 11)
"""Tokens, width, heads, their size, contexts; no two are alike, so that nothing can be mixed up."""


def attention_cases(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw models of one size with every choice of switches, with equal tokens, and of other sizes."""
    drawn = [_attention(rng, USUAL, on) for on in SWITCHES_ON]
    equal = [_attention(rng, USUAL, on) for on in ((), ("pos_QK",))]
    for case in equal:
        case["contexts"][:, 0] = case["contexts"][:, 1]
    others = [
        _attention(rng, size, on)
        for size, on in (((6, 5, 1, 3, 1), ("residual",)), ((3, 2, 4, 1, 40), ("pos_OV",)))
    ]
    return [*drawn, *equal, *others]


def _attention(
    rng: np.random.Generator, size: tuple[int, int, int, int, int], on: Sequence[str]
) -> dict[str, Array]:
    N, d, heads, of_a_head, n = size
    w = _model(rng, N, d, heads, of_a_head)
    return {
        **_contexts(rng, N, n),
        "skipped": np.array([int(name in on) for name in reference.SKIPS]),
        "functional": rng.normal(size=(n, N)) / np.sqrt(n * N),
        **w,
        **{f"along_{name}": rng.normal(size=item.shape) for name, item in w.items()},
    }


def head_cases(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw models of several sizes; in the second case both tokens of each context are equal."""
    drawn = [
        {**_contexts(rng, N, n), **_model(rng, N, d, heads, size)}
        for N, d, heads, size, n in (USUAL, USUAL, (6, 5, 1, 3, 1), (3, 2, 4, 1, 40))
    ]
    drawn[1]["contexts"][:, 0] = drawn[1]["contexts"][:, 1]
    return drawn


def loss_cases(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw logits and laws: point masses, zeros, no zeros, one context; and logits of great size."""
    cases = []
    for n, N, kind, size, shift in (
        (9, 6, 0.0, 1.0, 0.0),
        (9, 6, 0.4, 2.0, 0.0),
        (5, 8, 2.0, 1.0, 0.0),
        (10, 4, 1.0, 500.0, 0.0),
        (10, 4, 1.0, 1.0, -2000.0),
        (1, 7, 0.7, 1.0, 0.0),
        (3, 3, 0.4, 1.0, 0.0),
    ):
        tokens = rng.integers(0, N, size=n)
        if kind:
            law = rng.dirichlet(np.full(N, kind), size=n)
            law[law < 0.05 * (kind < 2)] = 0
            law[0] = rng.permutation([0.3, 0.7, *[0.0] * (N - 2)])
            law /= law.sum(axis=1, keepdims=True)
            tokens = np.array([rng.choice(N, p=row) for row in law])
            tokens[0] = np.flatnonzero(law[0] == 0.3)[0]  # possible, and not the likeliest
        else:
            law = np.eye(N)[tokens]
        found = _short(size * rng.normal(size=(n, N))) + shift
        cases.append({"found": found, "law": law, "tokens": tokens})
    cases[-1]["found"][-1] = 0
    return cases


def gauge_cases(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw spaces far apart, the same, near, orthogonal, with a common part; columns of many lengths.

    The same spaces come several times: a root of what rounding makes negative is no number in some.
    """
    cases = []
    for N, d, noise in ((10, 5, 0.0), (7, 2, 0.1), (12, 3, 0.1)):
        A, B = (_columns(rng, N, d) for _ in range(2))
        cases.append({"A": A, "B": B})
        moved = A @ _mixture(rng, d) + noise * rng.normal(size=(N, d))
        shift = rng.choice([-1, 1], size=d) * rng.uniform(20, 30, size=d)
        cases.append({"A": A, "B": moved - moved.mean(axis=0) + shift})
    bases, _ = np.linalg.qr(np.column_stack([np.ones(9), rng.normal(size=(9, 6))]))
    orthogonal = bases[:, 1:4], bases[:, 4:]
    turned = [part @ _mixture(rng, 3) + 2 * rng.normal(size=3) for part in orthogonal]
    cases.append({"A": turned[0], "B": turned[1]})
    A, B = _columns(rng, 9, 4), _columns(rng, 9, 4)
    cases.append({"A": A, "B": np.column_stack([A[:, 2] - 3.0, B[:, :3]])})
    small = [rng.permutation([[0.0], [1.0], [size]]) for size in rng.uniform(-4, -1, size=2)]
    cases.append({"A": small[0], "B": small[1]})
    cases.append({"A": _columns(rng, 6, 1), "B": _columns(rng, 6, 1)})
    cases.append({"A": _columns(rng, 8, 3) * SHORT, "B": _columns(rng, 8, 3)})
    for N in EQUAL:
        A = _columns(rng, N, 6)
        cases.append({"A": A, "B": A @ _mixture(rng, 6)})
    return cases


def _short(numbers: Array) -> Array:
    """Return numbers with ten binary places: beside 6,000 they do not get lost in single precision."""
    rounded: Array = np.round(numbers * 1024) / 1024
    return rounded


def _mixture(rng: np.random.Generator, d: int) -> Array:
    """Draw a matrix (d, d) that turns and stretches: multiplied with it, rounding errors stay small."""
    turn, _ = np.linalg.qr(rng.normal(size=(d, d)))
    mixed: Array = turn * rng.uniform(0.5, 3, size=d)
    return mixed


def _columns(rng: np.random.Generator, N: int, d: int) -> Array:
    """Draw columns (N, d) of different lengths and means."""
    lengths: Array = rng.uniform(0.3, 3, size=d)
    drawn: Array = rng.normal(size=(N, d)) * lengths + rng.normal(size=d)
    return drawn


def _choices(
    rng: np.random.Generator, among: int, sizes: Sequence[int], of: int = 0
) -> dict[str, Array]:
    """Draw choices among the first tokens of so many, each without repetition."""
    N = of or among
    every = [
        rng.permuted(np.tile(np.arange(among), (*shape, 1)), axis=-1)
        for shape in ((), (N,), (N, N))
    ]
    names = ("first", "second", "third")
    return {name: item[..., :size] for name, item, size in zip(names, every, sizes, strict=True)}


def _contexts(rng: np.random.Generator, N: int, n: int) -> dict[str, Array]:
    return {"contexts": rng.integers(0, N, size=(n, 2))}


def _model(rng: np.random.Generator, N: int, d: int, heads: int, size: int) -> dict[str, Array]:
    """Draw weights: products with them keep their size, and scores differ."""
    return {
        name: rng.normal(size=shape) * (1.0 if len(shape) == 2 else 1.5 / np.sqrt(shape[-1]))
        for name, shape in weights_shapes(N, d, heads, size).items()
    }


def describe_sizes(inputs: Inputs) -> str:
    """Say what a case was, without its numbers."""
    sizes = ", ".join(str(inputs[name].shape[-1]) for name in ("first", "second", "third"))
    ones = [str(n) for n, alpha in enumerate(inputs["alphas"], 1) if alpha == 1]
    said = f" and an alpha of 1 for token {' and '.join(ones)}" if ones else ""
    return f"{inputs['N']} tokens, with {sizes} choices{said}"


def describe_best(inputs: Inputs) -> str:
    """Say what a case was, without its numbers."""
    N = len(inputs["best"])
    size = "1" if inputs["beta"] == 1 else "below" if inputs["beta"] < 1 / N else "above"
    of_it = "a beta of 1" if size == "1" else f"a beta {size} 1 / {N}"
    never = ", the last of which is never the best, and" * bool(inputs["best"].max() < N - 1)
    return f"{N} tokens{never or ' and'} {of_it}"


def describe_rank(inputs: Inputs) -> str:
    """Say what a case was, without its numbers."""
    E, U = inputs["E"], inputs["U"]
    scores = E @ U.T
    size, least = np.abs(scores).max(), scores.max(axis=1).min()
    kind = (
        "scores up to 2,000 in every context"
        if least > 1000
        else "scores up to 2,000 and below -2,000"
        if size > 1000
        else f"scores up to {size:.0f}"
    )
    return f"{len(E)} contexts, {len(U)} tokens, rank {E.shape[1]} and {kind}"


def describe_laws(inputs: Inputs) -> str:
    """Say what a case was, without its numbers."""
    zeros = ", some of which cannot come third" * bool((inputs["law_3"] == 0).any())
    return f"{len(inputs['law_1'])} tokens{zeros}"


def describe_scores(inputs: Inputs) -> str:
    """Say what a case was, without its numbers."""
    size = np.abs(inputs["scores"]).max()
    large = ", some very large and some very negative" if size > 100 else ""
    return f"scores of shape {inputs['scores'].shape}{large}"


def describe_model(inputs: Inputs) -> str:
    """Say what a case was, without its numbers."""
    heads, size, d = inputs["W_Q"].shape
    on = [n for n, yes in zip(reference.SKIPS, inputs.get("skipped", ()), strict=False) if yes]
    said = f", {' and '.join(on)} skipped" if on else ""
    same = len(inputs["contexts"]) > 1 and (np.ptp(inputs["contexts"], axis=1) == 0).all()
    equal = ", both tokens of a context equal" * bool(same)
    return f"d = {d}, {heads} head{'s' * (heads > 1)} of size {size}{said}{equal}"


def describe_losses(inputs: Inputs) -> str:
    """Say what a case was, without its numbers."""
    n, found = len(inputs["law"]), inputs["found"]
    kind = "point masses" if inputs["law"].max(axis=1).min() == 1 else "laws"
    size = np.abs(found).max()
    large = " and very negative logits" if found.max() < -100 else " and very large logits"
    return f"{n} context{'s' * (n > 1)} with {kind}{large * bool(size > 100)}"


def describe_spaces(inputs: Inputs) -> str:
    """Say what a case was, without its numbers."""
    N, d = inputs["A"].shape
    far = ", those of B with means far from zero" * bool(
        np.abs(inputs["B"].mean(axis=0)).min() > 10
    )
    short = ", those of A short" * bool(np.abs(inputs["A"]).max() < 100 * SHORT)
    return f"{d} column{'s' * (d > 1)} of {N} numbers{far}{short}"


def words_for_gradients(inputs: Inputs, value: Value) -> tuple[str, ...]:
    """Say which weights' gradients are wrong, where the logits are right."""
    right = reference.attention_only(**inputs)
    if not np.allclose(value[reference.LOGITS], right[reference.LOGITS], rtol=1e-4, atol=1e-4):
        return ()
    off = np.abs(value[reference.GRADIENTS] - right[reference.GRADIENTS]) > 1e-3
    wrong = [name for name, is_wrong in zip(reference.WEIGHTS, off, strict=True) if is_wrong]
    if not wrong:
        return ()
    said = f"The logits are right, and their gradients for {' and '.join(wrong)} are not."
    return (said, *(f"The logits' gradient for {name} is not right." for name in wrong))
