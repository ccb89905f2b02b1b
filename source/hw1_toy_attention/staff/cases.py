"""The hidden inputs of each question."""

from collections.abc import Sequence

import numpy as np

from autograder.model import Array, Inputs

from . import reference


def attend_cases(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw batches whose sizes are all different, so that no mix-up fits."""
    cases = []
    for count, length, k, d in ((5, 3, 4, 2), (2, 7, 3, 6), (4, 1, 2, 3), (1, 6, 4, 5)):
        cases.append(
            {
                "tokens": rng.normal(size=(count, length, k)),
                "queries": rng.normal(size=(count, d)),
                "K": 1.2 * rng.normal(size=(k, d)) / np.sqrt(k),
            }
        )
    return cases


def losses_cases(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw logits of moderate size, and some that overflow an exponential."""
    cases = []
    for count, size in ((1, 1.0), (9, 2.0), (4, 800.0)):
        cases.append(
            {"logits": size * rng.normal(size=(count, 2)), "labels": rng.integers(0, 2, size=count)}
        )
    # A confident mistake, whose probability is 0 in any format.
    cases[2]["logits"][0] = rng.choice([-1.0, 1.0]) * np.array([1500.0, -1500.0])
    cases[2]["labels"][0] = cases[2]["logits"][0].argmin()
    return cases


def odd_cases(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw sentences and weights, so large that the learned query's logit is far from odd."""
    return [
        {
            **_sentences(rng, count),
            "Q": rng.normal(size=(4, d)),
            "q": 2 * rng.normal(size=d),
            "K": rng.normal(size=(4, d)) / 2,
            "w": rng.normal(size=4),
            "b": float(rng.choice([-1, 1]) * rng.uniform(0.5, 2)),
        }
        for count, d in ((7, 3), (3, 5), (1, 1))
    ]


def terms_cases(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw sentences and weights."""
    return [
        {
            **_sentences(rng, count),
            "q": rng.normal(size=d),
            "K": rng.normal(size=(4, d)) / 2,
            "w": rng.normal(size=4) / 2,
            "b": float(rng.choice([-1, 1]) * rng.uniform(0.5, 2)),
        }
        for count, d in ((6, 3), (2, 5))
    ]


def count_cases(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw rows of which a third or so are XOR's, either way round, and some only nearly."""
    rows = [rng.normal(size=(200, 4)), rng.integers(-2, 3, size=(100, 4)).astype(float)]
    middle = rng.normal(size=(60, 1))
    gap = rng.choice([1e-7, 1e-5], size=(60, 1))
    side = rng.choice([-1.0, 1.0], size=(60, 1))
    rows.append(middle + gap * side * np.array([0.0, 1.0, 1.0, 0.0]))
    shuffled = rng.permutation(np.concatenate(rows))
    return [{"outputs": shuffled}, {"outputs": shuffled[:1]}, {"outputs": rng.normal(size=(50, 4))}]


def describe_tokens(inputs: Inputs) -> str:
    """Say what a case was, without its numbers."""
    count, length, _ = inputs["tokens"].shape
    size = inputs["K"].shape[1]
    return f"{_several(count, 'sentence')} of {_several(length, 'token')} and keys of size {size}"


def describe_logits(inputs: Inputs) -> str:
    """Say what a case was, without its numbers."""
    large = "large " if np.abs(inputs["logits"]).max() > 100 else ""
    return f"{large}logits of {_several(len(inputs['logits']), 'sentence')}"


def describe_rows(inputs: Inputs) -> str:
    """Say what a case was, without its numbers."""
    return _several(len(inputs["outputs"]), "row")


def _sentences(rng: np.random.Generator, count: int) -> dict[str, Array]:
    return {"tokens": reference.sentences(rng, count)[0]}


def _several(count: int, name: str) -> str:
    return f"{count} {name}{'s' * (count != 1)}"
