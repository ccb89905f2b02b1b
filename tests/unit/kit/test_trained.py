"""Weights: a model sees those that it has, of sizes that it can multiply, and nothing else."""

from typing import Any

import numpy as np
import pytest

from autograder.course import homework
from autograder.kit.trained import MAX_SIZE, Accurate, Within
from autograder.model import Value
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
    """A module of a third layer's `norm1` alone, or text under a name of its own, reaches no model."""
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
    """It is told from what is missing, and costs everything."""
    check = Accurate({"a": (2,)}, lambda value: value["a"] > 0, at_least=1, examples="numbers")
    assert check({}, {"a": "text"}).message == "a is not an array."
    assert check({}, {}).message == "a is missing."
    assert check({}, {"a": np.ones(2, int)}).fraction == 1


@pytest.mark.parametrize(
    ("size", "complaint"), [(MAX_SIZE, ""), (MAX_SIZE + 1, "d may be at most")]
)
def test_a_free_size_has_an_end(size: int, complaint: str) -> None:
    """Before a judge multiplies it with thousands of sentences: the limit is in the message."""
    seen: list[int] = []

    def figure(value: Value) -> float:
        seen.append(value["a"].size)
        return 0.0

    verdict = Within({"a": ("d",)}, figure, "the loss", high=1)({}, {"a": np.ones(size)})
    assert verdict.message.startswith(complaint)
    assert bool(seen) == (not complaint)
    assert str(MAX_SIZE) in verdict.message or not complaint
