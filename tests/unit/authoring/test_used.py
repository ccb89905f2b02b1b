"""used: what an author writes and nothing uses is named in one line."""

import re
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from autograder.authoring.contract import files, graded
from autograder.course.known_answers import KnownAnswer, Written
from autograder.kit import Asserted, Close, Homework, Question, Raises
from autograder.records.facts import Outcome, Submission, SubmissionLog
from autograder.records.homework import Cell
from autograder.records.questions import RESULT
from tests.helpers import ANYONE

HIDDEN = (
    "assert mean([1]) == 1\n### BEGIN HIDDEN TESTS\nassert mean([2]) == 2\n### END HIDDEN TESTS"
)


def close(values: Any) -> Any:
    return values


@pytest.mark.parametrize(
    ("source", "check", "named"),
    [
        (HIDDEN, Close(close, 1e-6), True),
        (HIDDEN, Raises(close), True),
        (HIDDEN, Asserted(), False),
        ("assert mean([1]) == 1", Close(close, 1e-6), False),
    ],
)
def test_hidden_tests_beside_a_check_of_the_kit(source: str, check: Any, named: bool) -> None:
    """They are taken out of the release, and never run."""
    chosen = Homework("Mini", (Question("mean", check=check),))
    cells = [Cell("c", "code", source, "mean", "check", 2.0)]
    found = list(files.tests_that_never_run(chosen, cells))
    assert len(found) == named
    assert all(one.startswith("the hidden tests of mean never run, since `") for one in found)


def value(item: Any) -> Outcome:
    return Outcome("mean", 0, "returned", {RESULT: item})


def failed(error: str, status: Any = "raised") -> Outcome:
    return Outcome("mean", 0, status, error=error)


NAME_ERROR = failed("NameError: name 'nupmy' is not defined\n(in `mean`, line 2)")


@pytest.mark.parametrize(
    ("outcomes", "raises", "said"),
    [
        ([NAME_ERROR, NAME_ERROR], {}, "in every case of mean it raises NameError"),
        ([NAME_ERROR, value(np.ones(1))], {}, ""),
        ([failed("IndexError"), failed("IndexError: 3")], {"mean": "IndexError"}, ""),
        ([NAME_ERROR], {"mean": "IndexError"}, "it raises NameError, which proves nothing"),
        ([failed("it is None: is there a `return`?", "refused")], {}, ""),
        (
            [value({"kinds": ["NameError"], "message": "", "returned": None})],
            {},
            "raises NameError",
        ),
        ([value({"kinds": ["ValueError"], "message": "", "returned": None})], {}, ""),
        ([value({"error": "ImportError", "score": 0})], {}, "raises ImportError"),
    ],
)
def test_a_mistake_has_to_run(
    outcomes: list[Outcome], raises: Mapping[str, str], said: str
) -> None:
    """One that only crashes would be refused by any check; where that is the mistake it says so."""
    cells = Submission(ANYONE, ())
    written = Written("", raises=raises)
    answer = KnownAnswer("x", "", written, frozenset({"mean"}), cells, "")
    chosen = Homework("Mini", (Question("mean", check=Close(close, 1e-6)),))
    log = SubmissionLog("hw", ANYONE, outcomes=tuple(outcomes))
    found = graded.crashed(answer, log, chosen)
    assert bool(found) == bool(said)
    assert all(re.search(said, one) for one in found)
