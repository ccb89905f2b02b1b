"""A question's own test cell counts as in nbgrader, and forged replies fail."""

from typing import Any

import numpy as np
import pytest

from autograder.kit import Asserted
from autograder.records.data import decode_value, encode_value
from autograder.records.questions import RESULT, Value, Verdict
from autograder.sandbox.inside.kernel import Ended
from autograder.sandbox.inside.test_cells import ended, hidden_lines, score, without_leading_blanks

LINES = [
    "assert total([1]) == 1",
    "### BEGIN HIDDEN TESTS",
    "assert total([4711]) == 4711, 'a secret'",
    "### END HIDDEN TESTS",
    "assert total([]) == 0",
]


def judged(found: Ended, *, points: float = 4.0) -> Verdict:
    """Judge the outcome of a cell, as it arrives."""
    value = encode_value({RESULT: ended(found, LINES)})
    return Asserted(points)({}, decode_value(value))


def failed(*lines: int, name: str = "AssertionError", message: str = "") -> Ended:
    return Ended([], {"name": name, "message": message}, list(lines))


def shown(text: str) -> dict[str, Any]:
    return {"output_type": "execute_result", "data": {"text/plain": text}}


def stream(name: str) -> dict[str, Any]:
    return {"output_type": "stream", "name": name, "text": "odd"}


def test_no_error_earns_everything() -> None:
    """This holds whatever the test prints."""
    assert judged(Ended([], None, [])).fraction == 1
    assert judged(Ended([stream("stdout")], None, [])).fraction == 1


@pytest.mark.parametrize(
    ("text", "fraction"),
    [
        ("1", 0.25),
        ("2.5", 0.625),
        ("0", 0),
        ("4", 1),
        ("9", 1),
        ("inf", 0),
        ("nan", 1),
        ("-1", 1),
        ("'2'", 1),
        ("True", 1),
        ("np.float64(2.0)", 1),
        ("[1, 2]", 1),
    ],
)
def test_partial_credit_is_nbgrader_s(text: str, fraction: float) -> None:
    """A number is its points; negative ones, and other values, earn everything, as in nbgrader."""
    assert judged(Ended([shown(text)], None, [])).fraction == fraction


def test_what_is_written_to_stderr_is_a_failure_where_it_comes_first() -> None:
    """Outputs are read in order, as in nbgrader."""
    found = judged(Ended([stream("stderr"), shown("3")], None, []))
    assert found.fraction == 0
    assert "error stream" in found.message
    assert "odd" not in found.message
    assert score([shown("3"), stream("stderr")]) == 3


def test_a_visible_test_says_what_failed() -> None:
    """The message has the line, class and text; for a function of the cell, the inner line."""
    found = judged(failed(1, name="TypeError", message="no list"))
    assert found == Verdict(0.0, "Its test failed at `assert total([1]) == 1`: TypeError: no list")
    assert "`assert total([]) == 0`" in judged(failed(1, 5)).message


@pytest.mark.parametrize("lines", [(3,), (1, 3), (3, 5), (2,), ()])
def test_a_hidden_test_says_the_class_alone(lines: tuple[int, ...]) -> None:
    """This holds even if a visible line called it, if it called one, or if the place is unknown."""
    reply = ended(failed(*lines, message="a secret"), LINES)
    assert "4711" not in str(reply)
    assert "secret" not in str(reply)
    found = judged(failed(*lines, message="a secret"))
    assert found == Verdict(0.0, "A hidden test failed (AssertionError).")


def test_an_error_without_a_place_is_said_where_nothing_is_hidden() -> None:
    """One example is a cell that is not Python."""
    found = Ended([], {"name": "SyntaxError", "message": "what is this"}, [])
    assert ended(found, ["total("])["message"] == "what is this"


def test_an_answer_that_is_not_written() -> None:
    """A hidden test says so, too."""
    for line in (1, 3):
        found = judged(failed(line, name="NotImplementedError"))
        assert found.message.startswith("Not written yet")


def test_hidden_lines_are_those_that_nbgrader_takes_out() -> None:
    """They include the markers; IPython does not count empty lines at the top."""
    assert hidden_lines(LINES) == {2, 3, 4}
    assert hidden_lines(["a", "# BEGIN HIDDEN TESTS", "b"]) == {2, 3}
    assert without_leading_blanks("\n \nx\n\ny") == ["x", "", "y"]


@pytest.mark.parametrize("number", [-1, -0.5, float("nan"), float("inf"), True, "4", [4], {}, 1j])
def test_a_forged_score_earns_nothing(number: Any) -> None:
    """Only a finite number that is at least 0 counts."""
    assert Asserted(4.0)({}, {RESULT: {"score": number}}).fraction == 0


@pytest.mark.parametrize(
    "forged",
    [
        None,
        3,
        "score",
        [],
        {},
        {"score": None, "error": 3},
        {"score": None, "error": ["x"], "hidden": False, "message": 3, "code": {}},
        {"score": 4, "error": "<b>", "hidden": "no", "message": "said"},
        {"score": 10**400, "error": (1,)},
        {"score": 10**999, "error": ""},
        {"score": np.ones(2)},
        {"score": 4.0, "error": np.ones(2)},
        {"score": 4.0, "error": "NotImplementedError", "message": np.ones(2), "hidden": False},
        {3: 4},
    ],
)
def test_odd_words_in_a_reply_break_nothing(forged: Any) -> None:
    """A check never raises for any reply; anything instead of text resembles no other reply."""
    value: Value = {RESULT: forged}
    found = Asserted(4.0)({}, value)
    assert found.fraction == 0
    assert "said" not in found.message
    assert Asserted(4.0).likeness({}, value, {RESULT: {"score": 4.0, "error": "an error"}}) == 0
    assert Asserted(4.0)({}, {}).fraction == 0


def test_a_score_beyond_the_points_earns_the_points() -> None:
    """A question without points has none to give, and nothing breaks."""
    assert Asserted(4.0)({}, {RESULT: {"score": 10**400}}).fraction in (0, 1)
    assert Asserted(4.0)({}, {RESULT: {"score": 5.0}}).fraction == 1
    for number in (0, 1, None):
        assert Asserted(0.0)({}, {RESULT: {"score": number}}).fraction in (0, 1)


@pytest.mark.parametrize(
    ("outputs", "lines", "said"),
    [
        ([shown("0")], LINES, "Its test gives 0 points."),
        ([stream("stderr"), shown("3")], LINES, "Its test gives 0 points; what it writes to the error stream, as a warning does, counts as a failure."),
        ([stream("stdout"), shown("0")], LINES[:1], "Its test gives 0 points. It prints: odd"),
        ([stream("stdout"), shown("2")], LINES[:1], "Its test gives 2 of 4 points. It prints: odd"),
        ([stream("stdout"), shown("2")], LINES, "Its test gives 2 of 4 points."),
    ],
)  # fmt: skip
def test_what_a_test_prints_is_told(
    outputs: list[dict[str, Any]], lines: list[str], said: str
) -> None:
    """The message has the output of a visible test, and mentions warnings only if there are any."""
    value = encode_value({RESULT: ended(Ended(outputs, None, []), lines)})
    assert Asserted(4.0)({}, decode_value(value)).message == said
