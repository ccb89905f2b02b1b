"""The hidden inputs of each question."""

from collections.abc import Sequence

import numpy as np

from autograder.model import Array, Inputs, Value

from . import reference

TABLE = np.random.default_rng(4).integers(0, 12, size=(12, 12))
"""What the adapters train on."""
LARGEST = 1e5
"""An output is far smaller; the adapter writes a larger number for what is none."""


def ceiling_cases(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw tables with few and with many chance ties, one that is symmetric, one that is not."""
    cases = [
        rng.integers(0, most, size=(n, n)) for n, most in ((30, 30), (7, 3), (12, 100), (5, 2))
    ]
    cases.append(reference.symmetric(cases[1]).astype(int))
    cases.append(rng.permutation(36).reshape(6, 6))
    return [{"M": M} for M in cases]


def masked_cases(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw states of several lengths, and an encoder of one layer or two; one has large scores."""
    cases = []
    for length, layers, size in ((4, 1, 1.0), (2, 2, 1.0), (7, 1, 2.5)):
        weights = _encoder(rng, layers)
        for name in weights:
            if name.endswith("in_proj_weight"):
                weights[name] *= size
        cases.append({"states": rng.normal(size=(2, length, reference.WIDTH)), **weights})
    return cases


def logits_cases(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw models of one layer and two, with and without padding and mask."""
    cases = []
    for n, layers, padded, blocks in ((7, 2, 1, 1), (5, 1, 0, 1), (6, 1, 1, 0), (4, 2, 0, 0)):
        length = 2 + padded
        cases.append(
            {
                "pairs": rng.integers(0, n, size=(9, 2)),
                "padded": padded,
                "blocked": reference.future(length) * blocks,
                **_weights(rng, reference.weights_shapes(n, layers)),
            }
        )
    return cases


def swap_cases(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw answers that are not symmetric, that are, and that are but for one logit of one pair.

    That pair is no pair of neighbours, and the logit is once larger and once smaller.
    """
    symmetric = rng.normal(size=(6, 6, 3))
    symmetric = symmetric + symmetric.transpose(1, 0, 2)
    found = [rng.normal(size=(5, 5, 4)), symmetric]
    for sign in (-1.0, 1.0):
        nearly = symmetric.copy()
        first = rng.integers(0, 4)
        second = rng.integers(first + 2, 6)
        nearly[first, second, rng.integers(3)] += sign * rng.uniform(0.3, 2)
        found.append(nearly)
    return [{"answers": answers} for answers in found]


def order_cases(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw pairs, a few of one token twice, and put their states in a random order."""
    cases = []
    # In the plane the nearest embedding is easily the wrong one.
    for n, d, number in ((9, 16, 40), (14, 2, 150), (5, 6, 12)):
        E = _embeddings(rng, n, d)
        pairs = rng.integers(0, n, size=(number, 2))
        pairs[:2, 1] = pairs[:2, 0]
        turned = rng.random(number) < 0.5
        turned[2:4] = (True, False)
        states = reference.states_of(pairs, E)
        states[turned] = states[turned, ::-1]
        cases.append({"states": states, "E": E})
    return cases


def _embeddings(rng: np.random.Generator, n: int, d: int) -> Array:
    """Draw embeddings of many lengths, none of whose mixtures is taken for the double of another."""
    every = np.array([(i, j) for i in range(n) for j in range(n) if i != j])
    while True:
        E: Array = rng.normal(size=(n, d)) * rng.uniform(0.5, 2, size=(n, 1))
        mixed = reference.states_of(every, E)[:, 1]
        apart = (
            np.abs(mixed[:, None] - 2 * E).max(axis=2).min(),
            np.abs(E[every[:, 0]] - E[every[:, 1]]).max(axis=1).min(),
        )
        if min(apart) > 0.01:
            return E


def describe_table(inputs: Inputs) -> str:
    """Say what a case was, without its numbers."""
    n = len(inputs["M"])
    return f"a table of {n} x {n}"


def describe_length(inputs: Inputs) -> str:
    """Say what a case was, without its numbers."""
    layers = sum(name.endswith("norm1.weight") for name in inputs)
    return f"sentences of {inputs['states'].shape[1]} tokens and {_layers(layers)}"


def describe_model(inputs: Inputs) -> str:
    """Say what a case was, without its numbers."""
    layers = sum(name.endswith("norm1.weight") for name in inputs)
    padded = "padded" if inputs["padded"] else "not padded"
    mask = "with a mask" if inputs["blocked"].any() else "without a mask"
    return f"{_layers(layers)}, {padded}, {mask}"


def describe_answers(inputs: Inputs) -> str:
    """Say what a case was, without its numbers."""
    return f"{len(inputs['answers'])} tokens"


def describe_states(inputs: Inputs) -> str:
    """Say what a case was, without its numbers."""
    return f"{len(inputs['states'])} pairs of {len(inputs['E'])} tokens"


def nothing_to_look_at(inputs: Inputs, value: Value) -> tuple[str, ...]:
    """Say in which mode a position has nothing to look at, if there is one."""
    lost = [name for name, output in value.items() if (np.abs(output) > LARGEST).any()]
    return tuple(
        f"{name[0].upper()}{name[1:]} is not a number at some position: the mask leaves it nothing to look at."
        for name in lost[:1]
    )


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
