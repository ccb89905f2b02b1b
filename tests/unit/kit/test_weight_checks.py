"""Weights: a model sees only its own, in sizes that it can multiply."""

from typing import Any

import numpy as np
import pytest

from autograder.course import homework
from autograder.kit.weight_checks import MAX_SIZE, Accurate, Within
from autograder.records.questions import Value
from tests.helpers import ROOT


def weights(check: Accurate | Within) -> dict[str, Any]:
    rng = np.random.default_rng(0)
    return {
        name: np.asarray(rng.normal(size=[7 if isinstance(size, str) else size for size in shape]))
        for name, shape in check.shapes.items()
    }


@pytest.mark.parametrize(
    ("name", "check"),
    [
        ("hw1_toy_attention", "BY_HAND"),
        ("hw4_position", "TABLE"),
        ("hw4_position", "NO_MASK"),
        ("hw5_memorization", "FROZEN"),
    ],
)
def test_names_that_nobody_expects_change_nothing(name: str, check: str) -> None:
    """Neither a third layer's `norm1` alone, nor text under its own name, reaches a model."""
    judging = getattr(homework.staff_module(ROOT, name, "models"), check)
    value = weights(judging)
    more = {
        "encoder.layers.2.norm1.weight": np.ones(16),
        "W_O alone: more": "text",
        "all but W_O: W_Q2": np.ones(()),
        "x": np.ones((0, 3)),
    }
    assert judging({}, value | more) == judging({}, value)
    assert judging.likeness({}, value | more, value) == judging.likeness({}, value, value)


def test_text_is_no_array() -> None:
    """It is distinguished from missing weights, and costs everything."""
    check = Accurate({"a": (2,)}, lambda value: value["a"] > 0, at_least=1, examples="numbers")
    assert check({}, {"a": "text"}).message == "a is not an array."
    assert check({}, {}).message == "a is missing."
    assert check({}, {"a": np.ones(2, int)}).fraction == 1


@pytest.mark.parametrize(
    ("size", "complaint"), [(MAX_SIZE, ""), (MAX_SIZE + 1, "d may be at most")]
)
def test_a_free_size_has_an_end(size: int, complaint: str) -> None:
    """It is checked before a judge multiplies anything; the message has the limit."""
    seen: list[int] = []

    def figure(value: Value) -> float:
        seen.append(value["a"].size)
        return 0.0

    verdict = Within({"a": ("d",)}, figure, "the loss", high=1)({}, {"a": np.ones(size)})
    assert verdict.message.startswith(complaint)
    assert bool(seen) == (not complaint)
    assert str(MAX_SIZE) in verdict.message or not complaint


NUMBERS = {"a": (4,)}


def above(at_least: float) -> Accurate:
    """Return a check of how many of four numbers are above zero."""
    return Accurate(
        NUMBERS,
        lambda value: value["a"] > 0,
        at_least=at_least,
        examples="numbers",
        words=lambda wrong: f"Look at number {wrong.argmax()}.",
    )


@pytest.mark.parametrize(
    ("at_least", "fraction", "message"),
    [
        (0.5, 1, "Right on 75 % of 4 numbers."),
        (0.75, 1, "Right on 75 % of 4 numbers."),
        (0.76, 0, "Right on 75 % of 4 numbers; 76 % is needed. Look at number 2."),
        (1, 0, "Right on 75 % of 4 numbers; all are needed. Look at number 2."),
    ],
)
def test_a_share_of_examples_is_needed(at_least: float, fraction: float, message: str) -> None:
    """The limit itself suffices; the message says what the wrong ones share."""
    value = {"a": np.array([1.0, 2.0, -1.0, 3.0])}
    verdict = above(at_least)({}, value)
    assert (verdict.fraction, verdict.message) == (fraction, message)
    assert above(at_least).figure(value) == 0.75


@pytest.mark.parametrize(
    ("figure", "fraction", "message"),
    [
        (0.5, 1, "The loss is 0.5."),
        (2.0, 1, "The loss is 2."),
        (0.49, 0, "The loss is 0.49; between 0.5 and 2 is wanted."),
        (2.01, 0, "The loss is 2.01; between 0.5 and 2 is wanted."),
        (float("nan"), 0, "The loss is nan; between 0.5 and 2 is wanted."),
        (float("inf"), 0, "The loss is inf; between 0.5 and 2 is wanted."),
    ],
)
def test_a_figure_is_in_a_band(figure: float, fraction: float, message: str) -> None:
    """The ends belong to it, and anything but a number is outside."""
    check = Within(NUMBERS, lambda _: figure, "the loss", low=0.5, high=2)
    verdict = check({}, {"a": np.ones(4)})
    assert (verdict.fraction, verdict.message) == (fraction, message)
    no_low = Within(NUMBERS, lambda value: value["a"][0], "the loss", high=0.1)
    assert no_low({}, {"a": np.ones(4)}).message == "The loss is 1; at most 0.1 is wanted."
    no_high = Within(NUMBERS, lambda _: float("inf"), "the loss", low=2)
    assert no_high({}, {"a": np.ones(4)}).message == "The loss is inf; at least 2 is wanted."


def test_models_are_alike_by_what_they_do() -> None:
    """They have the same weights, or are right on the same examples."""
    mine = {"a": np.array([1.0, 2.0, -1.0, 3.0])}
    same, other = {"a": 5 * mine["a"]}, {"a": -mine["a"]}
    assert above(1).likeness({}, mine, {"a": mine["a"] + 1e-6}) == 1
    assert above(1).likeness({}, mine, same) == 0.9
    assert above(1).likeness({}, mine, other) == 0
    assert above(1).likeness({}, mine, {"a": np.ones(3)}) == 0
    assert above(1).likeness({}, {}, {}) == 1
    band = Within(NUMBERS, lambda value: value["a"][0], "the loss", high=2)
    assert band.likeness({}, mine, {"a": np.array([1.01, 0, 0, 0])}) == 0.5
    assert band.likeness({}, mine, {"a": np.array([1.5, 0, 0, 0])}) == 0
