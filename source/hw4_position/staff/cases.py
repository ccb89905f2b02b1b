"""The hidden inputs of each question."""

from collections.abc import Sequence

import numpy as np

from autograder.kit import Array, Inputs, Value

from . import reference

LARGEST = 1e5
"""An output is far smaller; the adapter writes a larger number for what is none."""

ROUNDED = 2.0**-22
"""How far off a state is, relative to it: rounding in single precision."""


def ceiling_cases(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw tables with few and with many chance ties, one that is symmetric, one that is not."""
    cases = [
        rng.integers(0, most, size=(n, n)) for n, most in ((30, 30), (7, 3), (12, 100), (5, 2))
    ]
    cases.append(reference.symmetric(cases[1]).astype(int))
    cases.append(rng.permutation(36).reshape(6, 6))
    cases.append(rng.integers(0, 9, size=(1, 1)))
    return [{"M": M} for M in cases]


def masked_cases(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw states of several lengths, and an encoder of one layer or two; some have large scores."""
    cases = []
    for length, layers, size in (
        (4, 1, 1.0),
        (2, 2, 1.0),
        (7, 1, 2.5),
        (4, 1, 2.5),
        (1, 1, 1.0),
        (40, 1, 1.0),
    ):
        weights = _encoder(rng, layers)
        for name in weights:
            if name.endswith("in_proj_weight"):
                weights[name] *= size
        cases.append({"states": rng.normal(size=(2, length, reference.WIDTH)), **weights})
    return cases


def logits_cases(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw models of one layer and two, with and without padding and mask.

    Masks are causal, or not: one forbids the last position a token, some add numbers to scores,
    minus infinity among them.
    """
    cases = []
    for n, number, layers, padded, kind in (
        (7, 9, 2, 1, "causal"),
        (5, 9, 1, 0, "causal"),
        (6, 9, 1, 1, "none"),
        (4, 1, 2, 0, "none"),
        (7, 9, 2, 1, "other"),
        (5, 9, 1, 0, "other"),
        (6, 40, 1, 1, "added"),
        (5, 9, 1, 0, "added"),
        (7, 9, 2, 1, "infinite"),
    ):
        length = 2 + padded
        blocked, added = np.zeros((length, length)), np.zeros((length, length))
        if kind == "causal":
            blocked = reference.future(length)
        elif kind == "other":
            blocked[-1, rng.integers(length - 1)] = 1
        elif kind == "added":
            added = rng.normal(size=(length, length)) * 2
            added[0] = 0
        elif kind == "infinite":
            blocked = reference.future(length)
            added[-1, 0] = rng.uniform(1, 2)
        cases.append(
            {
                "pairs": rng.integers(0, n, size=(number, 2)),
                "padded": padded,
                "blocked": blocked,
                "added": added,
                **_weights(rng, reference.weights_shapes(n, layers)),
            }
        )
    return cases


def swap_cases(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw answers that are not symmetric, that are, and that are but for one logit of one pair.

    The pairs are at the ends, neighbours, and others; that logit is larger or smaller, the first,
    the last, or another. There are many pairs in the last four: 500 drawn at random have that one in
    a quarter of the cases, so in all of them in 3 of 1,000 submissions.
    """
    # In single precision, as the notebook's logits are.
    found = [rng.normal(size=(5, 5, 4)).astype(np.float32).astype(float)]
    symmetric = rng.normal(size=(6, 6, 3)).astype(np.float32).astype(float)
    symmetric = np.where(np.tri(6)[..., None] > 0, symmetric, symmetric.transpose(1, 0, 2))
    found.append(symmetric)
    first = int(rng.integers(1, 3))
    for (i, j), token, sign in (
        ((0, 5), 0, -1),
        ((4, 5), 2, 1),
        ((first, first + 2), 1, 1),
        ((first + 3, first), int(rng.integers(3)), 1),
        ((1, 0), 2, int(rng.choice((-1, 1)))),
    ):
        nearly = symmetric.copy()
        nearly[i, j, token] += np.float32(sign * rng.uniform(0.3, 2))
        found.append(nearly)
    for n in (60, 60, 60, 60):
        many = rng.normal(size=(n, n, 2))
        many = (many + many.transpose(1, 0, 2)).astype(np.float32).astype(float)
        i, j = rng.choice(n, size=2, replace=False)
        many[i, j, rng.integers(2)] += np.float32(rng.uniform(3, 9))
        found.append(many)
    return [{"answers": answers} for answers in found]


def order_cases(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw pairs, a few of one token twice, and put their states in a random order."""
    cases = []
    # In the plane the nearest embedding is easily the wrong one, so that all pairs are there.
    plane = np.array([(i, j) for i in range(8) for j in range(8)])
    for n, d, number, share in (
        (9, 16, 25, 0.5),
        (8, 2, 64, 0.5),
        (5, 6, 12, 0),
        (5, 6, 12, 1),
        (12, 16, 144, 0.5),
        (2, 3, 1, 1),
    ):
        E = _embeddings(rng, n, d) if d > 2 else _in_the_plane(rng, n)
        pairs = rng.integers(0, n, size=(number, 2)) if d > 2 else rng.permutation(plane)
        if number == 1:
            pairs = rng.permutation(n)[None]
        elif d > 2:
            pairs[:2, 1] = pairs[:2, 0]
        turned = rng.random(number) < share
        if share == 0.5:
            turned[2:4] = (True, False)
        states = reference.states_of(pairs, E)
        states[turned] = states[turned, ::-1]
        # In single precision the double of an embedding is exact: other arithmetic rounds it.
        states *= 1 + rng.choice((-1, 1), size=states.shape) * ROUNDED
        cases.append({"states": states, "E": E})
    return cases


def table_cases(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw two tables, and the logits with which those that learn them freely start."""
    return [{"M": rng.integers(0, 4, size=(2, 4, 4)), "start": rng.normal(size=(2, 4, 4, 4))}]


def rotate_cases(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw rows at positions that are whole numbers in order, out of order, negative, and fractions."""
    cases = []
    for T, d, base, kind in (
        (5, 8, 10000.0, "in order"),
        (5, 8, 300.0, "shuffled"),
        (4, 2, 100.0, "shuffled"),
        (7, 6, 1000.0, "fractions"),
        (12, 16, 10000.0, "shuffled"),
        (1, 4, 50.0, "fractions"),
        (6, 32, 500000.0, "shuffled"),
    ):
        positions = np.arange(T) + float(rng.integers(0, 9))
        if kind == "shuffled":
            positions = rng.choice(np.arange(-20, 121), size=T, replace=False).astype(float)
        elif kind == "fractions":
            positions = rng.uniform(-60, 60, size=T)
        cases.append(
            {
                "x": rng.normal(size=(T, d)) * 4,
                "positions": positions,
                "base": base,
                "along": rng.normal(size=(T, d)),
            }
        )
    return cases


def width_cases(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw widths from 8 on."""
    return [{"d": int(d)} for d in (8, 64, 32, *rng.choice((10, 12, 14, 18, 24, 48), 3, False))]


def heads_cases(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw numbers of heads, powers of two and others, and of positions."""
    return [
        {"heads": heads, "T": int(T)}
        for heads, T in (
            (8, rng.integers(4, 9)),
            (2, rng.integers(20, 40)),
            (3, rng.integers(4, 9)),
            (16, rng.integers(4, 7)),
            (12, 5),
            (1, 1),
        )
    ]


def _embeddings(rng: np.random.Generator, n: int, d: int) -> Array:
    """Draw embeddings of many lengths, none of whose mixtures is taken for the double of another.

    Neither by its distance nor by its direction, in single precision.
    """
    every = np.array([(i, j) for i in range(n) for j in range(n) if i != j])
    while True:
        E: Array = rng.normal(size=(n, d)) * rng.uniform(0.5, 2, size=(n, 1))
        if d > 2:
            E[::3, 0] = 0  # which leaves no direction in the plane
        mixed = reference.states_of(every, E)[:, 1]
        apart = (
            np.abs(mixed[:, None] - 2 * E).max(axis=2).min(),
            np.abs(E[every[:, 0]] - E[every[:, 1]]).max(axis=1).min(),
        )
        turned = (
            1 - _cosines(mixed, E).max(),
            1 - _cosines(E, E)[every[:, 0], every[:, 1]].max(),
        )
        if min(apart) > 0.01 and min(turned) > 1e-5:
            return E


def _in_the_plane(rng: np.random.Generator, n: int) -> Array:
    """Draw embeddings in the plane, so close together that a small mistake changes which is nearest.

    The mistakes: half of an embedding added to itself, and a sixth of a different one added or
    subtracted.
    """
    while True:
        E = _embeddings(rng, n, 2)
        mistaken = np.stack(
            [np.broadcast_to(1.5 * E, (n, n, 2)), E + E[:, None] / 6, E - E[:, None] / 6]
        )
        distances = np.linalg.norm(mistaken[:, :, :, None] - E, axis=-1)
        wrong = distances.argmin(axis=-1) != np.arange(n)
        wrong[1:, range(n), range(n)] = False
        if wrong.any(axis=(1, 2)).all():
            return E


def _cosines(x: Array, y: Array) -> Array:
    lengths = np.linalg.norm(x, axis=1)[:, None] * np.linalg.norm(y, axis=1)
    found: Array = x @ y.T / lengths
    return found


def describe_table(inputs: Inputs) -> str:
    """Say what a case was, without its numbers."""
    M = inputs["M"]
    kind = "symmetric table" if len(M) > 1 and (M == M.T).all() else "table"
    return f"a {kind} of {len(M)} x {len(M)}"


def describe_length(inputs: Inputs) -> str:
    """Say what a case was, without its numbers."""
    large = np.std(inputs["encoder.layers.0.self_attn.in_proj_weight"]) > 0.4
    length = inputs["states"].shape[1]
    return (
        f"sentences of {length} token{'s' * (length > 1)}, {_layers(reference.layers_of(inputs))}"
        f"{' and large scores' * bool(large)}"
    )


def describe_model(inputs: Inputs) -> str:
    """Say what a case was, without its numbers."""
    padded = "padded" if inputs["padded"] else "not padded"
    blocked = inputs["blocked"]
    mask = "a mask of bool that is not causal"
    if inputs["added"].any():
        mask = "a mask of numbers to add" + ", causal" * bool(blocked.any())
    elif not blocked.any():
        mask = "no mask"
    elif np.array_equal(blocked, reference.future(len(blocked))):
        mask = "a causal mask"
    return f"{_layers(reference.layers_of(inputs))}, {padded}, {mask}"


def describe_answers(inputs: Inputs) -> str:
    """Say what a case was, without its numbers."""
    answers = inputs["answers"]
    n = len(answers)
    changed = np.argwhere(np.triu((answers != answers.transpose(1, 0, 2)).any(axis=2)))
    if len(changed) == 0:
        return f"{n} tokens and a function that is symmetric"
    if len(changed) == 1:
        pair = ", ".join(map(str, changed[0]))
        return f"{n} tokens and a function that is symmetric but for the pair ({pair})"
    return f"{n} tokens and a function that is not symmetric"


def describe_rows(inputs: Inputs) -> str:
    """Say what a case was, without its numbers."""
    positions = inputs["positions"]
    kind = "fractions" if (positions % 1).any() else "whole numbers"
    order = "in order" if (np.diff(positions) > 0).all() else "in any order"
    T, d = inputs["x"].shape
    rows = "1 row" if T == 1 else f"{T} rows"
    return f"{rows} of {d} numbers, base {inputs['base']:.0f}, positions that are {kind} {order}"


def describe_width(inputs: Inputs) -> str:
    """Say what a case was."""
    return f"d = {inputs['d']}"


def describe_heads(inputs: Inputs) -> str:
    """Say what a case was."""
    return f"{inputs['heads']} head{'s' * (inputs['heads'] > 1)} and {inputs['T']} position{'s' * (inputs['T'] > 1)}"


def describe_states(inputs: Inputs) -> str:
    """Say what a case was, without its numbers."""
    states, E = inputs["states"], inputs["E"]
    first, second = (
        np.abs(states[:, None, place] - 2 * E).max(axis=2).min(axis=1) for place in (0, 1)
    )
    order = "in any order"
    if (first <= second).all():
        order = "each state in its own place"
    elif (second <= first).all():
        order = "each two states turned round"
    return f"{len(states)} pairs of {len(E)} tokens, {order}"


def nothing_to_look_at(inputs: Inputs, value: Value) -> tuple[str, ...]:
    """Say what may be behind an output that is not a number, if there is one."""
    lost = any(
        isinstance(output, np.ndarray) and (np.abs(output) > LARGEST).any()
        for name, output in value.items()
        if name.startswith("the output")
    )
    return ("Does the mask leave each position something to look at?",) if lost else ()


def _layers(number: int) -> str:
    return f"{number} layer{'s' * (number > 1)}"


def _encoder(rng: np.random.Generator, layers: int) -> dict[str, Array]:
    shapes = reference.weights_shapes(1, layers)
    return _weights(rng, {name: size for name, size in shapes.items() if "encoder" in name})


def _weights(rng: np.random.Generator, shapes: dict[str, tuple[int, ...]]) -> dict[str, Array]:
    """Draw weights: products with them keep their size, biases are small, gains near 1."""
    drawn = {}
    for name, size in shapes.items():
        if "norm" in name and name.endswith("weight"):
            drawn[name] = rng.uniform(0.7, 1.3, size=size)
        elif len(size) == 1:
            drawn[name] = 0.3 * rng.normal(size=size)
        else:
            drawn[name] = rng.normal(size=size) * (1.0 if "embedding" in name else size[1] ** -0.5)
    return drawn
