"""The hidden inputs of the questions that look inside a model: maps, parts, directions, subspaces."""

from collections.abc import Sequence

import numpy as np

from autograder.kit import Array, Inputs

from . import cases, reference

APART = 0.05
"""So far from zero is every number whose sign decides: rounding turns none."""
SHORTEST = 0.3
"""Of a centred row, whose direction is well defined then."""
SHORT_COLUMNS = 2.0**-7
"""Of the shortest columns in `second_order`: the vectors are as much longer, and single precision
rounds their smallest numbers by as much more."""


def map_cases(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw models of several sizes, heads of other sizes than the model; the second has no positions.

    The scores of the last one are in the thousands, and their differences are as usual.
    """
    drawn = [
        cases._model(rng, N, d, heads, size)
        for N, d, heads, size, _ in (cases.USUAL, cases.USUAL, (6, 5, 1, 3, 1), (3, 2, 4, 1, 0))
    ]
    drawn[0]["W_pos"][0, :2] = rng.permutation([-2.5, 2.5])
    drawn[1]["W_pos"][:] = 0
    drawn[2]["W_Q"] *= 4  # some weights are 0 or 1, but for rounding
    return [*drawn, _large_scores(rng)]


def _large_scores(rng: np.random.Generator) -> Inputs:
    """Draw a model of which one head's scores are near 2,048, and the other's near -2,048.

    They have few binary digits, so that single precision rounds none.
    """
    w = cases._model(rng, 4, 2, 2, 1)
    w["W_E"] = np.column_stack([np.ones(4), rng.permutation([-1.5, -0.25, 0.5, 1.75])])
    w["W_pos"] = np.array([[0, 0], [0, rng.choice([-0.5, 0.5])]])
    w["W_Q"] = np.array([[[64.0, 0]], [[64.0, 0]]])
    w["W_K"] = np.array([[[32.0, 1 / 64]], [[-32.0, 1 / 32]]])
    return w


def promoted_cases(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw parts of the logits; the last token never follows, and each other one does several times.

    To all tokens of a head and context a constant is added, but in the first case. In the last case
    a head gives all tokens the same, and so it promotes none.
    """
    drawn: list[Inputs] = []
    for n, heads, N in ((24, 2, 6), (24, 2, 6), (20, 3, 5), (12, 1, 4)):
        above = np.zeros(1)
        while np.abs(above).min() < APART:
            parts = rng.normal(size=(n, heads, N)) + 0.5 * rng.normal(size=(heads, N))
            parts -= parts.mean(axis=2, keepdims=True)
            tokens = rng.permutation(np.arange(n) % (N - 1))
            above = np.stack([parts[tokens == token].mean(axis=0) for token in range(N - 1)])
        if drawn:
            far = 200.0 if len(drawn) == 1 else 2.0
            signs = rng.permutation(np.resize([-1, 1], heads))
            parts += far * signs[:, None] + rng.normal(size=(n, heads, 1))
        drawn.append({"parts": parts, "tokens": tokens})
    alone = {"parts": np.array([[[4.0, 1, 3], [6, 8, 1]]]), "tokens": rng.integers(0, 3, size=1)}
    alone["parts"] = rng.permuted(alone["parts"], axis=2) * rng.uniform(0.5, 2)
    return [*drawn, _tied(rng), alone]


def _tied(rng: np.random.Generator) -> Inputs:
    """Draw parts of which one head's are the same for all tokens, in each context of some token.

    With four tokens their mean is exact, however it is computed. Nothing else is at its mean, where
    rounding would decide. Of fewer contexts, a given cell may have the tokens by chance.
    """
    above = np.zeros(1)
    while np.abs(above).min() < APART:
        tokens = rng.permutation(np.repeat([0, 1, 2], 4))
        parts = rng.permuted(np.tile([0.0, 1.0, 5.0, -3.0], (12, 2, 1)), axis=-1)
        above = np.stack([parts[tokens == token].mean(axis=0) for token in range(3)]) - 0.75
    for token, head in ((0, 0), (1, 1)):
        parts[tokens == token, head] = rng.integers(-9, 10, size=(4, 1))
    return {"parts": parts, "tokens": tokens}


def superposition_cases(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw vectors of many lengths, and rows with a mean far from zero, but in the first case.

    In the second last case all of them are short.
    """
    drawn: list[Inputs] = []
    for n, N, d in ((14, 10, 5), (14, 10, 5), (13, 4, 7), (12, 6, 2)):
        U = np.zeros((N, d))
        while np.linalg.norm(U, axis=1).min() < SHORTEST:
            U = rng.normal(size=(N, d)) * rng.uniform(0.5, 2, size=(N, 1))
            U -= U.mean(axis=0)
        E = rng.normal(size=(n, d))
        E *= rng.uniform(0.2, 20, size=(n, 1)) / np.linalg.norm(E, axis=1, keepdims=True)
        if drawn:
            U += rng.choice([-1, 1], size=d) * rng.uniform(6, 9, size=d)
        drawn.append({"E": E, "U": U, "tokens": rng.integers(0, N, size=n)})
    one, other = rng.uniform(2, 9, size=2)
    U = np.array([[0.0, 0.0], [one, 0.0], [0.0, other]])
    E = np.array([[0.0, rng.uniform(-9, -5)]])
    short = {**drawn[0], "E": cases.SHORT * drawn[0]["E"], "U": cases.SHORT * drawn[0]["U"]}
    return [*drawn, short, {"E": E, "U": U, "tokens": rng.integers(0, 3, size=1)}]


def second_cases(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw laws without rare tokens, and columns that are nearly orthonormal beside a mean.

    The second law has the rank of U, so that the divergence can be zero. The columns of the last
    case are short: what is added to a variance so that it can be inverted shows there.
    """
    drawn: list[Inputs] = []
    for n, N, d in ((7, 8, 3), (7, 8, 3), (6, 6, 2), (1, 5, 1), (2, 3, 1)):
        U = _orthogonal(rng, N, d) * rng.uniform(1, 2, size=d) + rng.normal(size=d)
        scores = rng.normal(size=(n, N))
        if len(drawn) == 1:
            scores = rng.normal(size=(n, d)) @ U.T
        scores -= scores.mean(axis=1, keepdims=True)
        drawn.append(
            {"law": _law(1.5 * scores / np.abs(scores).max(axis=1, keepdims=True)), "U": U}
        )
    return [*drawn, {**drawn[0], "U": SHORT_COLUMNS * drawn[0]["U"]}]


def principal_cases(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw laws whose log-probabilities have d directions clearly larger than all others.

    Over the contexts of the first law their mean is zero, but for a constant in each.
    """
    drawn: list[Inputs] = []
    for n, N, d in (
        (20, 8, 3),
        (20, 8, 3),
        (9, 6, 1),
        (12, 7, 4),
        (5, 9, 2),
        (2, 4, 1),
        (14, 10, 7),
    ):
        size = min(n, N - 1)
        lengths = np.concatenate([rng.uniform(3, 5, size=d), rng.uniform(0.2, 0.8, size=size - d)])
        coordinates, _ = np.linalg.qr(rng.normal(size=(n, size)) + 0.5)
        if not drawn:
            coordinates = _orthogonal(rng, n, size)
        scores = (coordinates * lengths) @ _orthogonal(rng, N, size).T
        drawn.append({"law": _law(scores), "d": d})
    return drawn


def _orthogonal(rng: np.random.Generator, N: int, d: int) -> Array:
    """Draw d orthonormal columns of N numbers that are orthogonal to the constant vector."""
    basis, _ = np.linalg.qr(np.column_stack([np.ones(N), rng.normal(size=(N, d))]))
    columns: Array = basis[:, 1:]
    return columns


def _law(scores: Array) -> Array:
    law: Array = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    return law


def describe_maps(inputs: Inputs) -> str:
    """Say what a case was, without its numbers."""
    without = "" if inputs["W_pos"].any() else ", all of W_pos zero"
    heads, size, d = inputs["W_Q"].shape
    large = ", scores in the thousands" * bool(np.abs(inputs["W_K"]).max() > 20)
    return f"d = {d}, {heads} head{'s' * (heads > 1)} of size {size}{without}{large}"


def describe_parts(inputs: Inputs) -> str:
    """Say what a case was, without its numbers."""
    n, heads, N = inputs["parts"].shape
    far = np.abs(inputs["parts"].mean(axis=2)).max() > 0.1
    means = "with means far from zero" if far else "each with mean zero"
    if (inputs["parts"] == inputs["parts"].round()).all():
        means = "some of them the same for all tokens"
    return f"{n} contexts, {heads} head{'s' * (heads > 1)} and {N} tokens, parts {means}"


def describe_rows(inputs: Inputs) -> str:
    """Say what a case was, without its numbers."""
    N, d = inputs["U"].shape
    far = np.abs(inputs["U"].mean(axis=0)).max() > 0.1
    short = ", all of them short" * bool(np.abs(inputs["U"]).max() < 100 * cases.SHORT)
    return f"{N} tokens, d = {d}, rows of U with {'a' if far else 'no'} common part{short}"


def describe_second(inputs: Inputs) -> str:
    """Say what a case was, without its numbers."""
    law, U = inputs["law"], inputs["U"]
    exact = reference.second_order(law, U)["the array of vectors"] @ U.T - np.log(law)
    kind = (
        "that U can fit" if len(law) > 1 and np.ptp(exact, axis=1).max() < 1e-6 else "of any kind"
    )
    many = "s" * (len(law) > 1)
    short = ", columns of U short" * bool(np.abs(U).max() < 20 * SHORT_COLUMNS)
    return f"{len(law)} law{many} of {len(U)} tokens, {kind}, and d = {U.shape[1]}{short}"


def describe_principal(inputs: Inputs) -> str:
    """Say what a case was, without its numbers."""
    logs = np.log(inputs["law"])
    logs = logs - logs.mean(axis=1, keepdims=True)
    alike = ", whose mean over contexts is uniform" * bool(np.abs(logs.mean(axis=0)).max() < 1e-6)
    return f"{len(logs)} laws of {logs.shape[1]} tokens{alike}, and d = {inputs['d']}"
