"""Attention golf: a right answer to a question with a par gets its count of nonzero numbers."""

from dataclasses import replace
from pathlib import Path
from typing import Literal

import jsonschema
import numpy as np
import pytest

from autograder.course import inputs
from autograder.course.course import Course, GolfRules
from autograder.kit import Close
from autograder.marking.mark import mark
from autograder.platforms.gradescope.run import finished
from autograder.records import codec
from autograder.records.facts import Outcome, SubmissionId, SubmissionLog
from autograder.records.homework import Homework
from autograder.records.marks import Golf, Grade, with_added, without_added
from autograder.records.questions import RESULT
from autograder.reports.results_json import results
from autograder.staff.class_page import questions
from autograder.staff.class_page.people import Person
from tests.helpers import SECRET
from tests.schemas import schema

RIGHT = np.array([[0.0, 3.0], [-20.0, 0.0], [0.0, 1e-9]])


def graded(
    toy: Homework,
    *,
    par: int,
    points: float = 0.0,
    off: float = 0.0,
    outcomes: tuple[Outcome, ...] = (),
) -> Grade:
    """Return the marks of a student whose matrix has three nonzero numbers, or other outcomes."""
    me = SubmissionId("someone", "notebook", "1" * 64)
    asked = replace(
        toy.questions[0], check=Close(lambda: {RESULT: RIGHT}), cases=no_inputs, par=par
    )
    chosen = replace(toy, questions=(asked, *toy.questions[1:]))
    log = SubmissionLog(
        homework=toy.name,
        submission=me,
        inputs=inputs.digests(chosen, submission=me, secret=SECRET),
        outcomes=outcomes or (Outcome("count", 0, "returned", {RESULT: RIGHT + off}),),
    )
    course = Course(title="", term="", golf=GolfRules(points=points), secret=SECRET)
    return mark(chosen, log, course)


def no_inputs(rng: np.random.Generator) -> list[dict[str, object]]:
    return [{}]


@pytest.mark.parametrize(
    ("par", "said"), [(3, "at par (3)"), (4, "1 below par (4)"), (1, "2 above par (1)")]
)
def test_a_right_answer_is_counted(toy: Homework, par: int, said: str) -> None:
    first = graded(toy, par=par).marks[0]
    assert first.golf == Golf(3, 20.0, par)
    assert first.message.endswith(f"Attention golf: 3 nonzero numbers, {said}; the largest is 20.")


def test_a_wrong_answer_is_not(toy: Homework) -> None:
    """Few numbers are no merit by themselves."""
    grade = graded(toy, par=9, off=1.0)
    assert [one.golf for one in grade.marks] == [None] * 3
    assert "golf" not in grade.marks[0].message
    assert "leaderboard" not in results(grade)


@pytest.mark.parametrize(
    "wrong",
    [
        Outcome("count", 0, "returned", {RESULT: np.zeros_like(RIGHT)}),
        Outcome("count", 0, "raised", error="ValueError"),
    ],
)
@pytest.mark.parametrize("at", ["check", "end"])
def test_only_the_right_state_of_the_notebook_is_counted(
    toy: Homework, wrong: Outcome, at: Literal["check", "end"]
) -> None:
    """Zeros that are wrong at the check win nothing by being right, and dense, at the end."""
    right = Outcome("count", 0, "returned", {RESULT: RIGHT})
    states = {at: right, "end" if at == "check" else "check": wrong}
    outcomes = tuple(replace(states[one], at=one) for one in ("check", "end"))
    assert graded(toy, par=3, outcomes=outcomes).marks[0].golf == Golf(3, 20.0, 3)


@pytest.mark.parametrize(("par", "earned"), [(3, 1.5), (2, 0.0)])
def test_par_earns_a_mark_of_its_own_where_the_course_says_so(
    toy: Homework, tmp_path: Path, par: int, earned: float
) -> None:
    grade = graded(toy, par=par, points=1.5)
    more = with_added(grade, tmp_path)
    assert more.score == grade.score + earned
    assert more.possible == grade.possible
    assert without_added(more) == grade


def test_gradescope_ranks_few_and_small_numbers(toy: Homework) -> None:
    """They have the form of its leaderboard."""
    page = results(graded(toy, par=3))
    jsonschema.validate(page, schema("results.json"))
    assert [(one["name"], one["value"], one["order"]) for one in page["leaderboard"]] == [
        ("count: not 0", 3, "asc"),
        ("count: largest", 20.0, "asc"),
    ]


def test_gradescope_gives_the_point_that_report_gives(toy: Homework) -> None:
    """Its container has no installation whose entry points could add the mark."""
    grade = graded(toy, par=3, points=1.5)
    log = SubmissionLog(homework=toy.name, submission=grade.submission)
    page = finished(grade, log, toy, Course(title="", term="", secret=SECRET))
    assert page["score"] == grade.score + 1.5
    assert page["tests"][-1]["name"].startswith("golf")


def test_marks_with_and_without_golf_are_read_back(toy: Homework) -> None:
    """Earlier versions have no such field."""
    grade = graded(toy, par=3, points=1)
    text = codec.encode_grade(grade)
    jsonschema.validate(codec.loads(text), schema("grade.json"))
    assert codec.decode_grade(text) == grade
    record = codec.loads(text)
    assert isinstance(record, dict)
    for one in record["marks"]:
        del one["golf"]
    assert not any(one.golf for one in codec.decode_grade(codec.dumps(record)).marks)


def test_the_class_page_counts_who_is_at_par(toy: Homework) -> None:
    """It names the sparsest for staff."""
    people = [
        Person(student, {}, replace(grade, submission=replace(grade.submission, student=student)))
        for student, grade in {
            "a": graded(toy, par=3),
            "b": graded(toy, par=3),
            "c": graded(toy, par=3, off=1.0),
        }.items()
    ]
    first, *others = questions.figures(people).questions
    assert first.golf == questions.GolfFigures(3, (3, 3), ("a", "b"))
    assert first.golf.at_par == 2
    assert not any(one.golf for one in others)
