"""The marking page where many work at the same time, and what students get of its marks."""

import multiprocessing
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from autograder.course import homework
from autograder.marking.mark import number
from autograder.staff.marking_page.marks.claims import Claims
from autograder.staff.marking_page.marks.connection import connect
from autograder.staff.marking_page.marks.double_marking import Second, agreement
from autograder.staff.marking_page.marks.question import Question
from autograder.staff.marking_page.marks.records import Conflict
from autograder.staff.marking_page.marks.rows import questions
from tests.gradebooks import make_course, put, run
from tests.helpers import of_code, with_cells
from tests.marking import HOMEWORK, QUESTION, execute, make_gradebook
from tests.marking_course import make_class, written_question
from tests.postgres import postgresql

pytestmark = pytest.mark.slow


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


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Return a gradebook with 30 answers, in each database that nbgrader takes."""
    if request.param == "sqlite":
        yield make_gradebook(tmp_path / "gradebook.db", 30)
    else:
        with postgresql() as place:
            yield make_gradebook(place, 30)


def test_two_processes_at_once_lose_nothing(url: str) -> None:
    """Each gives a different item to the same answers; in the end all answers have both."""
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
    question.engine.dispose()


def test_all_that_a_page_does_in_each_database(url: str) -> None:
    """Claims, one mark for many, items that change, comments, undo, a second marking."""
    question = Question(connect(url), HOMEWORK, QUESTION, worth=2)
    question.begin([(1.0, "Says so."), (1.0, "Says why.")])
    assert questions(question.engine) == [(HOMEWORK, QUESTION, 30)]
    ids, claims = [one.id for one in question.all()], Claims(question)
    assert [claims.first(ids, page) for page in "aba"] == [ids[0], ids[1], ids[0]]
    assert not claims.one(ids[1], "a")
    assert claims.one(ids[2], "a")
    says, why = question.items()
    question.set_item(ids[0], says.id, on=True, marker="ana", version=0)
    question.say(ids[0], "Good.", marker="ana", seen="")
    given, kept = question.copy(ids[0], ids, marker="ana")
    assert (given, kept) == (ids[1:], [])
    assert question.comments("good") == ["Good."]
    assert question.change_item(says.id, 0.5, "Says so.", marker="ben") == 30
    assert {one.score for one in question.all()} == {0.5}
    blind = Second(connect(url), HOMEWORK, QUESTION, 2, "ben")
    drawn = [one.id for one in blind.all()]
    open_elsewhere = ids[1:3]
    waiting = next(id for id in drawn if id not in open_elsewhere)
    assert Claims(blind).first(ids, "ben's") == waiting
    for id in drawn:
        blind.set_item(id, why.id, on=True, marker="ben", version=0)
    found = agreement(question)
    assert (found.answers, found.same, found.kappa) == (len(drawn), 0, pytest.approx(0))
    assert blind.undo("ben")[0]
    assert question.undo("ben")[0] == "changed the item: Says so."
    assert question.undo("ana") == ("gave one mark to 29 more", ids[1:])
    assert question.progress().done == 1
    assert question.unmarked(ids) == ids[1:]
    assert question.add_item(0.25, "Is short.", marker="ana") not in (says.id, why.id)
    blind.engine.dispose()
    question.engine.dispose()


def test_students_get_items_points_and_comment(tmp_path: Path) -> None:
    """In report.html, and escaped; a mark that formgrader changed has no items any more."""
    course = make_class(tmp_path / "course", ["It is 0 / 0.", "It is undefined."])
    question = written_question(course)
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


def test_the_head_of_the_markers_sees_who_is_how_far_and_how_they_agree(tmp_path: Path) -> None:
    """A line for each question; nothing is marked twice before somebody does it."""
    course = make_class(tmp_path / "course", [f"Answer {n}." for n in range(25)])
    question = written_question(course)
    question.begin([(1.0, "Says so.")])
    for one in question.all()[:-1]:
        question.give_nothing(one.id, marker="ana", version=0)
    status, said = run(course, "mark", course / "graded", "--agreement")
    assert (status, said) == (
        0,
        "toy argue: 24 of 25 marked, ana 24; no answer has been marked twice yet (--second)\n",
    )
    blind = Second(question.engine, HOMEWORK, QUESTION, 2, "ben")
    first, *others = blind.all()
    item = blind.items()[0].id
    blind.set_item(first.id, item, on=True, marker="ben", version=0)
    for one in others:
        blind.give_nothing(one.id, marker="ben", version=0)
    count = len(others) + 1
    gap = number(1 / count)
    status, said = run(course, "mark", course / "graded", "--agreement", "--question", QUESTION)
    assert status == 0
    assert said.splitlines()[1:] == [
        f"  marked twice: {count}; the same points: {count - 1}; kappa 0.00",
        f"  ana gave {gap} points less than the other marker, on average over {count}",
        f"  ben gave {gap} points more than the other marker, on average over {count}",
    ]
    status, said = run(course, "mark", course / "graded", "--second", "--marker", "ana")
    assert status == 2
    assert "nobody but ana has marked any written answers" in said


def test_a_folder_opens_its_own_homework_alone(tmp_path: Path) -> None:
    """A gradebook has a term's answers; another homework's would be looked for in this folder."""
    course = make_course(tmp_path / "course")
    for name, question in (("hw2_transformer", "compare_identity"), ("hw3_proofs", "argue_scale")):
        one = homework.load(course, name)
        answered = with_cells(replace(of_code(), cells=one.cells), **{question: "It is so."})
        put(course / name, "ada", answered, one)
        assert run(course, "mark", course / name, "--fill")[0] == 0
    status, said = run(course, "mark", course / "hw3_proofs", "--agreement")
    assert status == 0
    assert "hw3_proofs argue_scale: 0 of 1 marked" in said
    assert "hw2_transformer" not in said
