"""graded: a known mistake that only crashes proves nothing, and one line names it."""

import re
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from autograder.authoring.contract import graded
from autograder.course.known_answers import KnownAnswer, Written
from autograder.kit import Close, Homework, Question
from autograder.records.facts import Outcome, Submission, SubmissionLog
from autograder.records.questions import RESULT
from tests.helpers import ANYONE


def close(values: Any) -> Any:
    return values


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
    """Any check would refuse one that only crashes; if the crash is the mistake, it must say so."""
    cells = Submission(ANYONE, ())
    written = Written("", raises=raises)
    answer = KnownAnswer("x", "", written, frozenset({"mean"}), cells, "")
    chosen = Homework("Mini", (Question("mean", check=Close(close, 1e-6)),))
    log = SubmissionLog("hw", ANYONE, outcomes=tuple(outcomes))
    found = graded.crashed(answer, log, chosen)
    assert bool(found) == bool(said)
    assert all(re.search(said, one) for one in found)
