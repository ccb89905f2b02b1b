"""The hidden inputs of each question.

Each question has two cases of one shape, whose numbers differ. What is drawn for a student's
tensors are numbers that float32 has, so that no rounding of ours stands between both sides.
"""

from collections.abc import Sequence
from itertools import permutations
from typing import Any

import numpy as np

from autograder.kit import Array, Inputs

from . import shared


def attend_cases(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw batches whose sizes are all different, so that no mix-up fits."""
    sizes = (5, 3, 4, 2), (2, 7, 3, 6), (4, 1, 2, 3), (1, 6, 4, 5), (5, 3, 4, 2)
    cases = [
        {
            "tokens": rng.normal(size=(count, length, k)),
            "queries": rng.normal(size=(count, d)),
            "K": 1.2 * rng.normal(size=(k, d)) / np.sqrt(k),
        }
        for count, length, k, d in sizes
    ]
    cases[-1] = {name: np.abs(item) for name, item in cases[-1].items()}
    cases[-1]["queries"] *= -1
    # Tokens and queries with zeros, as in the example that one does by hand.
    cases.append(
        {
            "tokens": np.eye(3)[np.array([rng.permutation(3) for _ in range(4)])],
            "queries": np.array([rng.permutation([0.0, 1.0, 2.5]) for _ in range(3)] + [[0.0] * 3]),
            "K": np.eye(3),
        }
    )
    return list(map(_single, cases))


def losses_cases(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw logits of moderate size, and some of up to 1000 that overflow an exponential."""
    moderate = [2 * rng.normal(size=(count, 2)) for count in (1, 9)]
    large = rng.uniform(-1000, 1000, size=(9, 2))
    # A confident mistake, whose probability is 0 in any format.
    large[0] = rng.choice([-1.0, 1.0]) * np.array([1000.0, -1000.0])
    # No difference is large here, only the logits themselves; or those of one sentence.
    near = 100 + 2 * rng.normal(size=(4, 2))
    mixed = 2 * rng.normal(size=(3, 2))
    mixed[rng.integers(3)] += 120.0
    cases = []
    for logits in (*moderate, large, near, mixed, np.zeros((2, 2))):
        labels = rng.permutation(np.arange(len(logits)) % 2)
        if logits is large:
            labels[0] = logits[0].argmin()
        cases.append(_single({"logits": logits, "labels": labels}))
    return cases


def odd_cases(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw sentences, weights, and functions whose oddness is large where it is easy to miss.

    The function of the first case is odd. The even part of the others is positive, negative, or
    both, and the largest belongs to the last sentence, the first, or one between. The bias has
    either sign with either, and is small where it is easy to take for another; weights are small
    and large, and a query is zero.
    """
    last, first = [[0.5, 0.125]] * 6 + [[0.9375, 0.125]], [[0.125, 0.9375]] + [[0.125, 0.5]] * 6
    cases = [
        _odd_case(rng, 3, 5, 0, np.full((3, 2), 0.25), 1),
        _odd_case(rng, 7, 3, 1, np.array(last), -0.1),
        _odd_case(rng, 7, 3, -1, np.array(first), 0.1),
        _odd_case(
            rng, 4, 2, 0, np.array([[0.75, 0.25]] + [[0.25] * 2, [0.125, 0.9375]] * 2)[:4], -1
        ),
        _odd_case(rng, 1, 1, -1, np.array([[0.125, 0.5]]), -1),
        _odd_case(rng, 60, 3, 1, np.array([[0.5, 0.125]] * 40 + [[0.9375, 0.125]] * 20), 1),
    ]
    cases[0]["q"] *= 0
    cases[-1]["w"] *= 4 / np.abs(cases[-1]["w"]).max()
    # Tokens and keys with zeros, as in the example that one does by hand.
    zeros = _odd_case(rng, 2, 4, -1, np.array([[0.25, 0.5], [0.75, 0.25]]), 1)
    zeros["tokens"] *= np.eye(4)[rng.permutation(4)]
    zeros["K"] = np.eye(4)
    return [*cases, zeros]


def _odd_case(
    rng: np.random.Generator, count: int, d: int, sign: int, noise: Array, side: float
) -> dict[str, Any]:
    """Draw a case whose function grows with the square of one noise token and falls with the other's.

    Args:
        rng: Draws it.
        count: Of sentences.
        d: The size of a key.
        sign: Of what the function's constant has beside the bias.
        noise: The sizes of the noise, (count, 2); where they are equal the function is odd.
        side: The sign of the bias, and its size.
    """
    tokens = shared.sentences(rng, count)[0]
    tokens[:, 1:3] = noise[..., None] * rng.choice([-1.0, 1.0], size=(count, 2, 4))
    tokens[:, 1:3] *= rng.uniform(0.97, 1.0, size=(count, 2, 4))
    square = rng.uniform(0.25, 0.35, size=(4, 4)) * np.array([[0.0], [1.0], [-1.0], [0.0]])
    case = _single(
        {
            "tokens": tokens,
            "q": 2 * rng.normal(size=d),
            "K": rng.normal(size=(4, d)) / 2,
            "w": rng.normal(size=4),
            "b": float(side * rng.uniform(0.5, 2)),
            "linear": rng.normal(size=(4, 4)) / 4,
            "square": square if np.ptp(noise) else 0 * square,
        }
    )
    return {**case, "constant": case["b"] + 0.25 * sign}


def terms_cases(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw sentences and weights; the bias has either sign, and the last scores reach 25 and -25.

    There the bias is larger than what is added to it, so that nothing cancels.
    """
    cases: list[Inputs] = []
    for count, length, d, sign in (
        (6, 4, 3, 1),
        (2, 4, 5, 1),
        (6, 4, 3, -1),
        (3, 1, 2, -1),
        (50, 4, 3, 1),
    ):
        case: dict[str, Any] = {
            "tokens": shared.sentences(rng, count)[0][:, :length],
            "q": rng.normal(size=d),
            "K": rng.normal(size=(4, d)) / 2,
            "w": rng.permutation([-1.3, -0.4, 0.4, 1.3]) * rng.uniform(0.7, 1.1, size=4),
            "b": sign * rng.uniform(0.5, 2),
        }
        if count == 2:
            case["K"].flat[rng.choice(20, size=2, replace=False)] = -1.5, 1.5
            case["q"] = rng.permutation([-1.5, 2.0, *rng.uniform(-0.5, 0.5, size=3)])
        if count == 50:
            scores = case["tokens"] @ case["K"] @ case["q"]
            case["q"] *= 25 / np.abs(scores).max()
            case["w"] = rng.uniform(-0.1, 0.1, size=4)
        cases.append(_single(case))
    return cases


def count_cases(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw rows of which a third or so are XOR's, either way round, and some only nearly."""
    rows = [rng.normal(size=(200, 4)), rng.integers(-2, 3, size=(100, 4)).astype(float)]
    # In single precision, or after some decimals, these gaps are others.
    middle = rng.normal(size=(60, 1)) * rng.choice([1, 1000], size=(60, 1))
    gap = rng.choice([1e-7, 8e-7, 1.4e-6, 1e-5], size=(60, 1))
    side = rng.choice([-1.0, 1.0], size=(60, 1))
    rows.append(middle + gap * side * np.array([0.0, 1.0, 1.0, 0.0]))
    numbers = np.sort(rng.normal(size=4) + 3.0 * np.arange(4))
    ordered = np.array([[numbers[n] for n in order] for order in permutations(range(4))])
    alone = rng.choice([0, 1]) + np.array([[0, 2, 3, 1]])  # both signs that differ are above
    return [
        {"outputs": rng.permutation(np.concatenate(rows))},
        {"outputs": rng.permutation(ordered)},
        {"outputs": -rng.permutation(ordered)[:23]},
        {"outputs": alone + rng.uniform(0, 0.5, size=(1, 4))},
        {"outputs": -alone - rng.uniform(0, 0.5, size=(1, 4))},
        {"outputs": np.arange(4.0) + rng.uniform(0, 0.5, size=(1, 4))},  # the same shape, none
        {"outputs": rng.normal(size=(50, 4))},
    ]


def easy_cases(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw sentences of several lengths for the values and gradients, and an empty case to train."""
    cases: list[Inputs] = [
        _single(
            {
                "tokens": rng.normal(size=(count, length, k)),
                "weights": rng.uniform(0.5, 1.5, size=count),
                "Q": rng.normal(size=(k, d)) / np.sqrt(k),
                "K": rng.normal(size=(k, d)) / np.sqrt(k),
                "w": rng.normal(size=k),
                "b": np.array(sign * rng.uniform(0.5, 2)),
            }
        )
        for count, length, k, d, sign in (
            (5, 4, 4, 3, 1),
            (2, 3, 7, 3, 1),
            (1, 6, 3, 2, -1),
            (5, 3, 4, 3, 1),
            (5, 4, 4, 3, -1),
        )
    ]
    cases[3] = {**cases[3], "Q": np.zeros((4, 3))}
    return [*cases[:-1], {}, cases[-1]]


def xor_cases(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw sentences and stacks of models for the values and gradients, and an empty case to train."""
    cases: list[Inputs] = []
    for models, count, number, d, sign in ((3, 6, 2, 5, 1), (2, 1, 3, 4, 1), (3, 6, 2, 5, -1)):
        case = {
            "tokens": shared.sentences(rng, count)[0],
            "weights": rng.uniform(0.5, 1.5, size=(models, count)),
            "queries": rng.normal(size=(models, number, d)),
            "K": rng.normal(size=(models, 4, d)) / 2,
            "w": rng.normal(size=(models, number, 4)) / 2,
            "b": sign * rng.uniform(0.5, 2, size=models),
        }
        cases.append(_single(case))
    return [*cases[:-1], {}, cases[-1]]


def describe_tokens(inputs: Inputs) -> str:
    """Say what a case was, without its numbers."""
    count, length, _ = inputs["tokens"].shape
    size = inputs["K"].shape[-1]
    said = f"{_several(count, 'sentence')} of {_several(length, 'token')} and keys of size {size}"
    if "queries" in inputs and inputs["queries"].ndim == 2:
        scores = np.einsum("ntk,kd,nd->nt", inputs["tokens"], inputs["K"], inputs["queries"])
        return f"{said}, all scores negative" if (scores < 0).all() else said
    return said


def describe_model(inputs: Inputs) -> str:
    """Say what a case was, without its numbers."""
    signs = "a negative bias" if np.all(inputs["b"] < 0) else "a positive bias"
    if inputs["K"].ndim == 2:
        return f"{describe_tokens(inputs)}, with {signs}"
    models, heads, _ = inputs["queries"].shape
    return f"{models} models of {heads} heads with {signs} and {_several(len(inputs['tokens']), 'sentence')}"


def describe_odd(inputs: Inputs) -> str:
    """Say what a case was, without its numbers."""
    constant = inputs["constant"] - inputs["b"]
    signs = {1: "a positive", -1: "a negative"}.get(int(np.sign(constant)), "a mixed")
    kind = f"{signs} even part" if inputs["square"].any() else "an odd function"
    return f"{describe_tokens(inputs)}, and {kind}"


def describe_logits(inputs: Inputs) -> str:
    """Say what a case was, without its numbers."""
    large = np.abs(inputs["logits"]).max(axis=1) > 50
    said = f"logits of {_several(len(large), 'sentence')}"
    if large.all():
        return f"large {said}"
    return f"{said}, some of them large" if large.any() else said


def describe_rows(inputs: Inputs) -> str:
    """Say what a case was, without its numbers."""
    outputs = inputs["outputs"]
    positive = " of positive numbers" if (outputs >= 0).all() else ""
    rising = " in rising order" if (np.diff(outputs) > 0).all() else ""
    return _several(len(outputs), "row") + positive + rising


def _single(case: dict[str, Any]) -> dict[str, Any]:
    """Return a case in numbers that float32 has."""
    rounded: dict[str, Any] = {}
    for name, item in case.items():
        if isinstance(item, float):
            rounded[name] = float(np.float32(item))
        elif np.asarray(item).dtype.kind == "f":
            rounded[name] = np.asarray(item, dtype=np.float32).astype(np.float64)
        else:
            rounded[name] = item
    return rounded


def _several(count: int, name: str) -> str:
    return f"{count} {name}{'s' * (count != 1)}"
