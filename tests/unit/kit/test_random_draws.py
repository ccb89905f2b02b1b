"""Many draws -> verdicts: the mean must be right, as far as the number of draws shows."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from autograder.kit.random_draws import LARGEST, STANDARD_ERRORS, Draws, Unbiased
from autograder.records.questions import RESULT, Value

CHECK = Unbiased(
    "draws",
    shape=lambda inputs: (inputs["n"], 2),
    estimates=lambda draws, inputs: draws,
    moments=lambda inputs: (np.array([1.0, -2.0]), np.array([1.0, 4.0])),
    too_large="It is too large.",
    too_small="It is too small.",
)
INPUTS: dict[str, Any] = {"n": 2_500}
ERRORS = np.array([1.0, 2.0]) / 50
"""The standard error of the mean of 2,500 draws, by quantity."""


def draws(*, seed: int = 0, moved: float = 0.0, spread: float = 1.0) -> Value:
    """Return draws whose means are off by exactly this many standard errors."""
    noise = np.random.default_rng(seed).normal(size=(INPUTS["n"], 2)) * [1.0, 2.0]
    noise = spread * (noise - noise.mean(axis=0))
    return {"draws": noise + [1.0, -2.0] + moved * ERRORS}


@pytest.mark.parametrize("sign", [1, -1])
def test_the_mean_may_be_off_by_so_many_standard_errors_and_no_more(sign: int) -> None:
    """The message gives the direction and the number of standard errors."""
    assert CHECK(INPUTS, draws(moved=sign * 0.99 * STANDARD_ERRORS)).fraction == 1
    refused = CHECK(INPUTS, draws(moved=sign * 1.2 * STANDARD_ERRORS))
    assert refused.fraction == 0
    assert refused.message.startswith("It is too large." if sign > 0 else "It is too small.")
    assert f"{1.2 * STANDARD_ERRORS:.0f} standard errors" in refused.message


def test_one_quantity_that_is_off_is_enough() -> None:
    value = draws()
    value["draws"][:, 1] -= 3 * STANDARD_ERRORS * ERRORS[1]
    assert CHECK(INPUTS, value).message.startswith("It is too small.")


def test_means_of_honest_draws_pass() -> None:
    """None of 200 seeds fails: the limit is far beyond chance."""
    for seed in range(200):
        rng = np.random.default_rng(seed)
        value = {"draws": rng.normal([1.0, -2.0], [1.0, 2.0], size=(INPUTS["n"], 2))}
        assert CHECK(INPUTS, value).fraction == 1, seed


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({}, "draws is missing."),
        ({"draws": "text"}, "draws is not an array."),
        ({"draws": np.zeros((3, 2))}, "For draws the shape should be (2500, 2), yours is (3, 2)."),
        ({"draws": np.full((2_500, 2), 2 * LARGEST)}, "The numbers for draws are larger than any"),
    ],
)
def test_what_is_no_draws_earns_nothing(value: Value, said: str) -> None:
    verdict = CHECK(INPUTS, value)
    assert verdict.fraction == 0
    assert verdict.message.startswith(said)
    assert CHECK.likeness(INPUTS, value, draws()) == 0


def test_answers_are_alike_that_miss_and_spread_alike() -> None:
    biased = draws(moved=40)
    assert CHECK.likeness(INPUTS, draws(seed=1, moved=41), biased) == 1
    assert CHECK.likeness(INPUTS, draws(seed=1), biased) == 0
    assert CHECK.likeness(INPUTS, draws(seed=1, moved=41, spread=10), biased) == 0


NUMBERS = np.random.default_rng(0).gamma(1, 10, 9)
BOOTSTRAP = Draws(
    mean=lambda draws, rng: NUMBERS.mean(),
    variance=lambda draws, rng: NUMBERS.var() / len(NUMBERS),
    size="draws",
)
OTHERS: dict[str, Callable[[np.random.Generator], Any]] = {
    "without replacement": lambda rng: np.array([rng.permutation(NUMBERS).mean() for _ in range(4000)]),
    "single numbers": lambda rng: rng.choice(NUMBERS, 4000),
    "medians": lambda rng: np.median(rng.choice(NUMBERS, (4000, 9)), axis=1),
    "each twice": lambda rng: np.repeat(rng.choice(NUMBERS, (2000, 9)).mean(axis=1), 2),
    "few": lambda rng: rng.choice(NUMBERS, (9, 4000)).mean(axis=1),
    "pairs": lambda rng: rng.choice(NUMBERS, (4000, 2)),
    "right": lambda rng: rng.choice(NUMBERS, (4000, 9)).mean(axis=1),
}  # fmt: skip


@pytest.mark.parametrize("name", OTHERS)
def test_a_known_mistake_is_recognised_whatever_it_draws(name: str) -> None:
    """Its moments show it, even if it does not vary, or its draws depend on each other."""
    inputs = {"draws": 4000, "rng": np.random.default_rng(1)}
    mine = {RESULT: OTHERS[name](np.random.default_rng(2))}
    for other, draw in OTHERS.items():
        known = {RESULT: draw(np.random.default_rng(3))}
        assert BOOTSTRAP.likeness(inputs, mine, known) == (name == other)


def test_a_sampler_is_checked_without_an_adapter() -> None:
    """Its mean and variance are functions of the same inputs, including the Generator."""
    inputs = {"draws": 4000, "rng": np.random.default_rng(1)}
    assert BOOTSTRAP(inputs, {RESULT: OTHERS["right"](np.random.default_rng(2))}).fraction == 1
    assert BOOTSTRAP(inputs, {RESULT: OTHERS["medians"](np.random.default_rng(2))}).fraction == 0
