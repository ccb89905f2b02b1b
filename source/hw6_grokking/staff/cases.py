"""The hidden inputs of each question."""

from collections.abc import Sequence

import numpy as np

from autograder.model import Array, Inputs

from . import reference, saved

COUNTED = {"p": 97, "width": 128, "hidden": 512}
NUMBER = 2822
DRAWN = {"p": 37, "width": 56, "hidden": 168}


def saved_embedding() -> Array:
    """Return the embedding (97, 16) that a long run ended with, in its strongest directions."""
    rows = np.array(saved.EMBEDDING.split(), dtype=float).reshape(97, -1)
    embedding: Array = rows / rows.std()
    return embedding


def naive_cases(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw models of three sizes."""
    return [
        {"pairs": rng.integers(0, p, size=(number, 2)), **_weights(rng, p, width, hidden)}
        for p, width, hidden, number in ((7, 16, 20, 9), (5, 8, 12, 1), (11, 24, 8, 30))
    ]


def fast_cases(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw models, a direction in each weight, and a sum of the logits."""
    cases = []
    for case in naive_cases(rng):
        weights = {name: item for name, item in case.items() if name != "pairs"}
        # Of the last pair twice: its rows of a table are looked up twice.
        pairs = np.concatenate([case["pairs"], case["pairs"][-1:]])
        along = {f"along_{name}": _direction(rng, item.shape) for name, item in weights.items()}
        coefficients = rng.normal(size=(len(pairs), len(weights["W_E"]))) / np.sqrt(len(pairs))
        cases.append({"pairs": pairs, "coefficients": coefficients, **weights, **along})
    return cases


def cost_cases(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw as many pairs as the source trains on."""
    return [{"pairs": rng.integers(0, 97, size=(NUMBER, 2)), **COUNTED}]


def epoch_cases(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw a small model and some of its pairs; the learning rate is large, so that each step counts."""
    pairs = np.argwhere(np.ones((3, 3)))[rng.permutation(9)[:7]]
    return [{"pairs": pairs, "epochs": 3, "rate": 0.02, **_weights(rng, 3, 8, 5)}]


def initial_cases(rng: np.random.Generator) -> Sequence[Inputs]:
    """Ask for one model, none of whose sizes is another's."""
    return [dict(DRAWN)]


def fourier_cases(rng: np.random.Generator) -> Sequence[Inputs]:
    """Take the saved embedding with its tokens renumbered, and draw two others."""
    return [{"E": E} for E in (_renumbered(rng), _waves(rng, 13, 5), _waves(rng, 7, 2))]


def keep_cases(rng: np.random.Generator) -> Sequence[Inputs]:
    """Choose some frequencies of embeddings as above, one of them once."""
    cases = []
    for case, number in zip(fourier_cases(rng), (4, 2, 1), strict=True):
        every = np.arange(1, (len(case["E"]) + 1) // 2)
        cases.append({**case, "frequencies": rng.choice(every, size=number, replace=False)})
    return cases


def mirror_cases(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw splits of all pairs, and one that leaves some pairs out of both."""
    cases = []
    for p, share, kept in ((11, 0.4, 1.0), (19, 0.7, 1.0), (8, 0.5, 0.6)):
        trained = rng.random((p, p)) < share
        others = np.argwhere(~trained)
        others = rng.permutation(others)[: int(kept * len(others))]
        cases.append({"trained": trained.astype(int), "others": others})
    return cases


def _weights(rng: np.random.Generator, p: int, width: int, hidden: int) -> dict[str, Array]:
    """Draw weights: products with them keep their size, and scores differ."""
    shapes = reference.weights_shapes(p, width, hidden)
    large = {"W_E": 1.0, "W_pos": 1.0, "W_Q": 1.5, "W_K": 1.5}
    return {
        name: rng.normal(size=size) * (large.get(name, 1.0) if name in ("W_E", "W_pos") else large.get(name, 1.0) / np.sqrt(width))
        for name, size in shapes.items()
    }  # fmt: skip


def _direction(rng: np.random.Generator, size: tuple[int, ...]) -> Array:
    direction = rng.normal(size=size)
    result: Array = direction / np.linalg.norm(direction)
    return result


def _renumbered(rng: np.random.Generator) -> Array:
    """Return the saved embedding with token m a called a, which multiplies its frequencies by m."""
    E = saved_embedding()
    tokens = int(rng.integers(2, 96)) * np.arange(97) % 97
    # Some of every frequency, so that each matters.
    return E[tokens] + 0.2 * rng.normal(size=E.shape) + rng.normal(size=E.shape[1])


def _waves(rng: np.random.Generator, p: int, width: int) -> Array:
    """Draw an embedding in which some frequencies are strong, each in other columns."""
    E = 0.2 * rng.normal(size=(p, width)) + 2 * rng.normal(size=width)
    for k in rng.choice(np.arange(1, (p + 1) // 2), size=2, replace=False):
        for turn in (0.0, np.pi / 2):
            wave = np.cos(2 * np.pi * k * np.arange(p) / p - turn)
            E = E + np.outer(wave, rng.normal(size=width))
    return E


def describe_model(inputs: Inputs) -> str:
    """Say what a case was, without its numbers."""
    pairs, p = len(inputs["pairs"]), len(inputs["W_E"]) - 1
    return f"p = {p}, d = {inputs['W_E'].shape[1]} and {pairs} pair{'s' * (pairs > 1)}"


def describe_epochs(inputs: Inputs) -> str:
    """Say what a case was, without its numbers."""
    return f"{inputs['epochs']} epochs on {len(inputs['pairs'])} pairs of p = 3"


def describe_embedding(inputs: Inputs) -> str:
    """Say what a case was, without its numbers."""
    p, width = inputs["E"].shape
    return f"p = {p} and d = {width}"


def describe_split(inputs: Inputs) -> str:
    """Say what a case was, without its numbers."""
    return f"p = {len(inputs['trained'])} and {len(inputs['others'])} test pairs"
