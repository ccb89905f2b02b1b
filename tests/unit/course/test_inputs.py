"""inputs: hidden, different for each submission, the same at every regrade."""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from autograder.course import inputs
from autograder.records.errors import UserError
from autograder.records.facts import SubmissionId
from autograder.records.homework import Homework

MINE, OTHER = (SubmissionId("a", "notebook", letter * 64) for letter in "ab")


def test_a_regrade_draws_the_same(toy: Homework) -> None:
    """The same submission, question and secret give the same inputs."""
    question = toy.question("count")
    first, again = (inputs.draw(question, submission=MINE, secret="s") for _ in range(2))
    assert inputs.digest(first) == inputs.digest(again)


def test_submission_question_and_secret_all_matter(toy: Homework) -> None:
    """Changing any of the three changes the inputs."""
    count, mean = toy.question("count"), toy.question("mean")
    digests = {
        inputs.digest(inputs.draw(count, submission=MINE, secret="s")),
        inputs.digest(inputs.draw(count, submission=OTHER, secret="s")),
        inputs.digest(inputs.draw(count, submission=MINE, secret="t")),
        inputs.digest(inputs.draw(mean, submission=MINE, secret="s")),
    }
    assert len(digests) == 4


@pytest.mark.parametrize("item", [2.0, np.array([0.3, -1.0]), np.array([np.inf, 1.0]), 1e300])
@pytest.mark.parametrize("factor", [2.0, 2.0**-12, -2.0])
def test_inputs_of_a_different_size_are_others(item: Any, factor: float) -> None:
    """A power of two changes only a number's size, not its digits."""
    assert inputs.digest([{"x": item}]) != inputs.digest([{"x": item * factor}])


def test_inputs_in_common_are_nobody_s_own(toy: Homework) -> None:
    """They depend only on the question, like a name in staff/named.toml, not on submissions."""
    question = toy.question("count")
    common = inputs.common(question)
    assert common.digest == inputs.common(question).digest
    assert common.digest != inputs.common(toy.question("mean")).digest
    assert common.digest != inputs.drawn(question, submission=MINE, secret="s").digest
    assert len(common.cases) == len(inputs.draw(question, submission=MINE, secret="s"))


def test_a_table_that_would_arrive_in_another_form_is_named(toy: Homework) -> None:
    """An answer would get text, and the reference intervals; tables of numbers and dates arrive."""
    whole = pd.DataFrame({"day": pd.to_datetime(["2026-01-02", None]), "x": [1.5, np.nan]})
    for table, said in (
        (pd.DataFrame({"part": pd.cut([1, 2], 2)}), "the table `numbers`"),
        (whole, ""),
    ):
        asked = replace(toy.question("count"), cases=lambda rng, table=table: [{"numbers": table}])
        if said:
            with pytest.raises(
                UserError, match=f"{said} has cells that would arrive in a different form"
            ):
                inputs.complain_of_cases(replace(toy, questions=(asked,)))
        else:
            inputs.complain_of_cases(replace(toy, questions=(asked,)))
    first, other = (inputs.digest([{"x": whole.assign(x=[1.5, x])}]) for x in (2.0, 3.0))
    assert first != other
    assert first == inputs.digest([{"x": whole.assign(x=[1.5, 2.0 + 1e-15])}])


def test_of_many_cases_some_are_in_common(toy: Homework) -> None:
    """So a wrong answer costs little more time than a right one."""
    many = replace(toy.question("count"), cases=lambda rng: [{"numbers": rng.normal(size=2)}] * 55)
    assert 10 <= len(inputs.common(many).cases) <= inputs.MAX_COMMON


def test_last_digits_are_no_other_inputs() -> None:
    """Processors differ in them; the sixth digit, the kind and the shape count."""
    rng = np.random.default_rng(0)
    basis = np.linalg.qr(rng.normal(size=(40, 40)))[0]
    identity = basis @ basis.T  # 1 and 0, but for the last digits
    pairs = {
        "basis": (basis, basis * (1 + 1e-15)),
        "identity": (identity, np.eye(40)),
        "small": (1e-9 * basis, 1e-9 * basis + 1e-24),
        "single": (np.float32(basis), np.float32(basis)),
        "complex": (basis + 1j, basis + 1j + 1e-15),
        "special": (np.array([np.nan, np.inf, -0.0, 1.0]), np.array([-np.nan, np.inf, 0, 1])),
        "large": (np.array([1.7e308, -np.inf]), np.array([1.7e308 * (1 - 1e-15), -np.inf])),
        "empty": (np.zeros((0, 3)), np.zeros((0, 3))),
        "number": (1.0, 1 - 1e-16),
        "nested": ({"rates": [0.1 + 0.2, (1, "a")]}, {"rates": [0.3, (1, "a")]}),
    }
    for name, (one, other) in pairs.items():
        assert inputs.digest([{name: one}]) == inputs.digest([{name: other}]), name
    others = [
        basis,
        basis + 1e-5 * np.eye(40)[::-1],
        basis.T,
        basis.reshape(20, 80),
        np.float32(basis),
        np.rint(basis).astype(int),
        1.0,
        1.00001,
        1,
        [1.0],
        {"rates": [0.3, (1, "b")]},
        np.array([np.inf, 1.0]),
        np.array([-np.inf, 1.0]),
        np.array([np.nan, 1.0]),
    ]
    assert len({inputs.digest([{"x": one}]) for one in others}) == len(others)


def test_the_last_case_and_the_first_come_again(toy: Homework) -> None:
    """An answer may remember its last input, its first, or any."""
    for question in (one for one in toy.questions if one.check):
        cases, order = inputs.plan(question, submission=MINE, secret="s")
        number = len(cases)
        assert sorted(order[:number]) == list(range(number))
        assert order[number:] == (order[number - 1], order[0])
        alone = replace(question, cases=lambda rng: question.cases(rng)[:1])  # noqa: B023
        assert inputs.plan(alone, submission=MINE, secret="s").order == (0, 0)
