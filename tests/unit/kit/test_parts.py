"""Parts: several checks of one answer, each with its own points."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from autograder.course import inputs
from autograder.kit import (
    Accurate,
    Asserted,
    Check,
    Close,
    Exact,
    Part,
    Parts,
    Prints,
    Property,
    Question,
    Raises,
    Text,
)
from autograder.marking.judge import judge
from autograder.records.errors import UserError
from autograder.records.facts import Outcome, SubmissionId, SubmissionLog
from autograder.records.homework import Homework
from autograder.records.questions import RESULT, Ask, Inputs
from tests.helpers import SECRET

ME = SubmissionId("someone", "notebook", "1" * 64)


def median(numbers: Sequence[float]) -> float:
    if not len(numbers):
        raise ValueError("empty")
    return float(np.median(numbers))


def odd(numbers: Sequence[float]) -> bool:
    return len(numbers) % 2 == 1


def even(numbers: Sequence[float]) -> bool:
    return len(numbers) % 2 == 0 and len(numbers) > 0


def empty(numbers: Sequence[float]) -> bool:
    return not len(numbers)


def some(numbers: Sequence[float]) -> bool:
    return len(numbers) > 0


def a_float(got: Any, numbers: Sequence[float]) -> bool:
    return type(got) is float


ODD, EVEN = Part("odd", Close(median), 2, odd), Part("even", Close(median), 1, even)
CASES = ([3.0, 1.0, 2.0], [1.0, 4.0], [])


def drawn(rng: np.random.Generator) -> list[dict[str, Any]]:
    return [{"numbers": numbers} for numbers in CASES]


def marked(check: Check, values: Sequence[Mapping[str, Any] | str], *again: float) -> Any:
    """Return the mark for an answer's results: a value or an error in each case.

    The first cases may have other results when they are evaluated again.
    """
    question = Question("median", check, drawn, ask=Ask(objects=("median",)), points=3.0)
    homework = Homework("Parts", (question,))
    outcomes = tuple(
        Outcome("median", number, "raised", error=value)
        if isinstance(value, str)
        else Outcome("median", number, "returned", value)
        for number, value in enumerate(values)
    )
    outcomes += tuple(
        Outcome("median", number, "returned", {RESULT: np.array(value)}, again=True)
        for number, value in enumerate(again)
    )
    digests = inputs.digests(homework, submission=ME, secret=SECRET)
    log = SubmissionLog("parts", ME, inputs=digests, outcomes=outcomes)
    (mark,) = judge(homework, log, secret=SECRET).marks
    return mark


def number(value: float) -> dict[str, Any]:
    return {RESULT: np.array(value)}


def test_each_part_has_its_points_and_its_own_message() -> None:
    """A wrong part costs only its own points, and every part is named."""
    mark = marked(Parts(ODD, EVEN), [number(2), number(9), number(0)])
    assert (mark.earned, mark.verdict) == (2, "partly")
    first, right, wrong = mark.message.split("\n")
    assert first == "2 of 3 points, part by part:"
    assert right == "- odd (2 of 2 points): right."
    assert wrong.startswith("- even (0 of 1 point): ")
    full = marked(Parts(ODD, EVEN), [number(2), number(2.5), number(0)])
    assert (full.earned, full.verdict) == (3, "passed")
    assert full.message.count("right.") == 2


def test_two_cases_that_lose_different_parts_lose_both() -> None:
    """Parts are counted over all cases, not case by case."""
    mark = marked(Parts(ODD, EVEN), [number(9), number(9), number(0)])
    assert mark.earned == 0
    assert "- odd (0 of 2 points)" in mark.message
    assert "- even (0 of 1 point)" in mark.message


def test_an_error_in_one_part_leaves_the_others() -> None:
    """One part's cases may raise; unwritten answers are reported once."""
    mark = marked(Parts(ODD, EVEN), [number(2), "IndexError: no", number(0)])
    assert mark.earned == 2
    assert "IndexError" in mark.message
    unwritten = marked(Parts(ODD, EVEN), ["NotImplementedError"] * 3)
    assert unwritten.earned == 0
    assert unwritten.message.startswith("Not written yet")


def test_a_part_is_right_only_where_the_second_time_is() -> None:
    """A repeated case counts for the parts that it concerns."""
    mark = marked(Parts(ODD, EVEN), [number(2), number(2.5), number(0)], 7)
    assert mark.earned == 1


def test_checks_that_read_more_and_less_are_parts_of_one_question() -> None:
    """With numbers, plain data and errors, an answer is read once, in the most general form."""
    mixed = Parts(
        Part("value", Close(median), 1, some),
        Part("kind", Property(a_float), 1, some),
        Part("empty", Raises(median), 1, empty),
    )
    assert mixed.reads == "error"

    def gave(value: Any, *kinds: str) -> dict[str, Any]:
        return {RESULT: {"kinds": list(kinds), "message": "", "returned": value}}

    right = [gave(2.0), gave(2.5), gave(None, "ValueError")]
    assert marked(mixed, right).earned == 3
    assert marked(mixed, [gave(2), gave(2), gave(None, "ValueError")]).earned == 1
    assert marked(mixed, [gave(2), gave(2.5), gave(None, "ValueError")]).earned == 2
    assert marked(mixed, [gave(2.0), gave(2.5), gave(0.0)]).earned == 2
    raised = marked(mixed, [gave(None, "KeyError"), gave(2.5), gave(None, "ValueError")])
    assert raised.earned == 1
    assert "It raises KeyError." in raised.message
    forged = marked(mixed, [{RESULT: "no"}, {}, {RESULT: {"kinds": 3}}])
    assert forged.earned == 0


@pytest.mark.parametrize("value", [{RESULT: float("nan")}, {RESULT: None}, {RESULT: "2"}, {}])
def test_what_is_no_number_is_wrong_in_each_part(value: dict[str, Any]) -> None:
    """Numbers beside plain data are read as plain data, and refused as usual."""
    both = Parts(Part("value", Close(median), 2), Part("kind", Property(a_float), 1))
    verdict = both({"numbers": [1.0]}, value)
    assert verdict.fraction == 0


def test_a_known_mistake_is_recognised_part_by_part() -> None:
    """A value matches only mistakes that give the same value."""
    check = Parts(ODD, Part("kind", Property(a_float), 1))
    case, known = {"numbers": [1.0]}, {RESULT: 3.0}
    assert check.likeness(case, {RESULT: 3.0}, known) == 1
    assert check.likeness(case, {RESULT: 4.0}, known) == 0
    assert check.likeness(case, {RESULT: None}, known) == 0
    assert check.likeness(case, {RESULT: None}, {RESULT: None}) == 1
    assert check.expected(case)[RESULT] == 1
    assert check.functions().keys() == {"reference of 'odd'", "holds of 'kind'"}


def test_a_part_without_a_case_is_a_fault_of_the_author_s() -> None:
    """Nobody is marked by it, and staff are told which part it is."""
    long = Part("long", Close(median), 1, lambda numbers: len(numbers) > 9)
    mark = marked(Parts(ODD, long), [number(2)] * 3)
    assert mark.earned == 0
    assert "no case was drawn that is about the part 'long'" in mark.fault


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Parts(), "Parts has nothing; write Parts(Part("),
        (lambda: Parts(Close(median)), "Parts has Close("),
        (lambda: Parts(ODD, ODD), "two parts have the name 'odd'"),
        (lambda: Parts(ODD, Part("said", Prints(median), 1)), "ask two questions"),
        (lambda: Part("", Close(median), 1), "write a few words that students read"),
        (lambda: Part("x", median, 1), "give a check, such as Close(...)"),
        (lambda: Part("x", Close(median), "two"), "points is 'two'; write a number above 0"),
        (lambda: Part("x", Close(median), 0), "write a number above 0"),
        (lambda: Part("x", Close(median), True), "write a number above 0"),
        (lambda: Part("x", Asserted(), 1), "Asserted cannot be the check of a part"),
        (lambda: Part("x", Parts(ODD), 1), "Parts cannot be the check of a part"),
        (lambda: Part("x", Accurate({}, len, 0.5, "x"), 1), "Accurate has a question of its own"),
    ],
)  # fmt: skip
def test_a_slip_is_one_line(make: Any, said: str) -> None:
    """It says what to write."""
    with pytest.raises(UserError) as error:
        make()
    assert said in str(error.value)


def test_a_question_in_parts_is_one_question_a_part() -> None:
    """Each has its own cases; other questions stay whole."""
    question = Question("median", Parts(ODD, EVEN), drawn)
    rng = np.random.default_rng(0)
    found: list[Sequence[Inputs]] = [one.cases(rng) for one in question.in_parts()]
    assert [[len(case["numbers"]) for case in cases] for cases in found] == [[3], [2]]
    assert [q.check for q in Question("x", Exact(median), drawn).in_parts()] == [Exact(median)]
    assert Question("written").in_parts() == []
    assert Parts(Part("x", Text(str), 1)).reads == "data"
