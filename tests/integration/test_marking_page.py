"""The marking page where many work at the same time, and what students get of its marks."""

import multiprocessing
from pathlib import Path

import pytest

from autograder.marking_page.store import Conflict, Question, connect
from tests.gradebooks import run
from tests.marking import HOMEWORK, QUESTION, execute, make_gradebook
from tests.marking_course import make_class


def _mark_many(url: str, place: int, marker: str) -> None:
    question = Question(connect(url), HOMEWORK, QUESTION, worth=2)
    item = question.items()[place].id
    for id in [one.id for one in question.all()]:
        for _ in range(3):
            try:
                version = question.one(id).version
                question.set_item(id, item, on=True, marker=marker, version=version)
                break
            except Conflict:
                continue


@pytest.mark.slow
def test_two_processes_at_once_lose_nothing(tmp_path: Path) -> None:
    """Each gives another item to the same answers: all have both in the end."""
    url = make_gradebook(tmp_path / "gradebook.db", 30)
    question = Question(connect(url), HOMEWORK, QUESTION, worth=2)
    question.begin([(1.0, "The first."), (1.0, "The second.")])
    context = multiprocessing.get_context("spawn")
    works = [
        context.Process(target=_mark_many, args=(url, place, marker))
        for place, marker in ((0, "ana"), (1, "ben"))
    ]
    for work in works:
        work.start()
    for work in works:
        work.join()
    assert [work.exitcode for work in works] == [0, 0]
    assert {one.score for one in question.all()} == {2.0}
    assert {one.version for one in question.all()} == {2}


@pytest.mark.slow
def test_students_get_items_points_and_comment(tmp_path: Path) -> None:
    """In report.html, and escaped; a mark that formgrader changed has no items any more."""
    course = make_class(tmp_path / "course", ["It is 0 / 0.", "It is undefined."])
    question = Question(connect(str(course / "gradebook.db")), HOMEWORK, QUESTION, worth=2)
    question.begin([(1.0, "Says <b>so</b>."), (-0.25, "Is short.")])
    for one in question.all():
        for item in question.items():
            version = question.one(one.id).version
            question.set_item(one.id, item.id, on=True, marker="ana", version=version)
        question.say(one.id, "Which value?", marker="ana", seen="")
    other = next(one for one in question.all() if one.student == "s0001")
    execute(
        f"sqlite:///{course / 'gradebook.db'}",
        "update grade set manual_score = 2 where id = :id",
        id=other.id,
    )
    assert run(course, "report", course / "graded")[0] == 0
    page = (course / "graded" / "s0000" / "report.html").read_text()
    assert "+1: Says &lt;b&gt;so&lt;/b&gt;.\n-0.25: Is short.\nWhich value?" in page
    assert "0.75" in page
    page = (course / "graded" / "s0001" / "report.html").read_text()
    assert "Is short." not in page
    assert "Which value?" in page
