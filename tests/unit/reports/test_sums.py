"""Every page of a submission has the same total, whoever gave the points and however late."""

import itertools
from dataclasses import replace
from typing import Literal

import pytest

from autograder.course.course import TotalRules
from autograder.course.people import People
from autograder.marking.lateness import settled
from autograder.marking.mark import late_words, remarks
from autograder.platforms import feedback_files
from autograder.records.homework import Homework
from autograder.records.marks import Grade, Mark
from autograder.reports import report, results_json, tables
from autograder.staff.term import page, totals
from tests import sums
from tests.helpers import COURSE
from tests.sample_grade import LOG, ME

MACHINE = (Mark("count", 2, 0.67, "Partly."), Mark("bonus", 1, 1, "Right.", extra=True))
WRITTEN = Mark("argue", 6, None, "A TA will mark this.", by_hand=True)
DEFENCE = Mark("defence", 10, 3.33, "Sheet 1.", by_hand=True)


@pytest.mark.parametrize(
    ("share", "points", "given", "defended"),
    [
        *itertools.product(
            (0, 0.1, 0.125, 1 / 3, 1), ("all", "machine"), (None, 0.0, 4.12), (0, 1, 2)
        )
    ],
)
def test_every_page_has_the_same_total(
    toy: Homework,
    share: float,
    points: Literal["all", "machine"],
    given: float | None,
    defended: int,
) -> None:
    """On time, late and too late; before and after marking; with a defence open or marked."""
    sheet = (DEFENCE, replace(DEFENCE, earned=None))[:defended][-1:]
    grade = Grade(ME, (*MACHINE, WRITTEN), late="Late.", late_share=share, late_points=points)
    grade = settled(grade)
    grade = replace(grade, marks=(*grade.marks, *sheet))
    grade = report.with_points(grade, {} if given is None else {"argue": given})
    grade = replace(grade, remarks=remarks(grade, LOG))
    shown = report.html(grade, LOG, title="T", course="C", explain=False)
    row = tables.row(grade)
    part = totals.Part(
        row.score, grade.possible, late=late_words(grade), penalty=grade.penalty, marks=grade.marks
    )
    one = totals.total({"toy": part}, ["toy"], TotalRules())
    sheet_of_term = page.sheet("a", one, {"toy": part}, {"toy": "Toy"}, TotalRules(), course="C")
    found = [
        sums.of_report(shown),
        sums.of_results(results_json.results(grade)),
        sums.of_notebook(feedback_files.notebook(grade, toy, COURSE, explain=False)),
        sums.of_table(tables.table({"a": row}, People()))["a"],
        *sums.of_term(page.html(sheet_of_term)),
    ]
    assert len(found) == 5
    sums.same(found, grade.score)
    if share == 1 and points == "all":
        assert (grade.score, grade.waiting) == (0, 0)
