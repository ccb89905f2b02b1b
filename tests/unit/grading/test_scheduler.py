"""scheduler: each submission ends once, whatever is lost; suspects run alone."""

import errno
import hashlib
import json
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path

import pytest

from autograder.grading import scheduler, unmarked
from autograder.grading.grader import has_lost_points
from autograder.grading.scheduler import ATTEMPTS, Lost
from autograder.grading.wire import Graded, Sent
from autograder.records.facts import SubmissionId, SubmissionLog
from autograder.records.homework import Homework
from autograder.records.marks import Grade, Mark
from autograder.reports.results_json import not_graded
from autograder.store import mark_changes, results
from autograder.submission import discover, reading
from autograder.submission.discover import Found
from autograder.submission.opening import given
from tests.helpers import COURSE

OWN = hashlib.sha256(b"{}").hexdigest()
Answer = Callable[[Sent, int, Path], Graded]


class Fake:
    """A fake executor that grades two at a time, by a function of submissions and tries."""

    def __init__(self, out: Path, answer: Answer) -> None:
        self._out, self._answer = out, answer
        self._under_way: dict[Future[Graded], Sent] = {}
        self.tries: list[tuple[str, int]] = []
        """The submissions graded, and how many were under way each time."""

    def room(self) -> int:
        return 2

    def submit(self, sent: Sent) -> Future[Graded]:
        future = Future[Graded]()
        future.set_result(Graded(sent.student, self._out))
        self._under_way[future] = sent
        self.tries += [(sent.student, len(self._under_way))]
        return future

    def result(self, future: Future[Graded]) -> Graded:
        sent = self._under_way.pop(future)
        return self._answer(sent, [name for name, _ in self.tries].count(sent.student), self._out)


def run(folder: Path, answer: Answer) -> tuple[list[Graded], Fake]:
    found = []
    for name in ("ada", "ben", "eve", "zoe"):
        (folder / f"{name}.ipynb").write_bytes(b"{}")
        found.append(Found(name, given(folder / f"{name}.ipynb")))
    out = folder / "out"
    fake = Fake(out, answer)
    graded = list(scheduler.grade(found, fake, out, COURSE, limit=100))
    assert sorted(one.name for one in graded) == [one.student for one in found]
    assert not any(one.starved for one in graded)
    return graded, fake


def done(sent: Sent, out: Path) -> Graded:
    return Graded(sent.student, out / sent.student)


def test_what_is_lost_each_time_is_given_up_and_all_others_are_graded(tmp_path: Path) -> None:
    """After its first try it runs alone at the end, and saves its marks as it goes."""

    def answer(sent: Sent, times: int, out: Path) -> Graded:
        if sent.student != "ben":
            return done(sent, out)
        assert sent.cautious == (times > 1)
        assert not sent.last  # nothing says that the machine was busy
        raise Lost("its grader ended")

    graded, fake = run(tmp_path, answer)
    assert (graded[-1].name, graded[-1].failed) == ("ben", True)
    assert graded[-1].complaint.endswith("ben.ipynb: its grader ended")
    assert fake.tries[-2:] == [("ben", 1)] * (ATTEMPTS - 1)
    said = json.loads((tmp_path / "out" / "ben" / "results.json").read_text())
    assert (said["score"], unmarked.LOST in said["output"]) == (0, True)


def marked(sha256: str, points: float | None) -> Grade:
    """Return unfinished marks of a submission of ben's, with one mark or none."""
    marks = () if points is None else (Mark("mean", 3, points, ""),)
    return Grade(SubmissionId("ben", "notebook", sha256), marks, complete=False)


def graded_as(sha256: str, **points: float) -> Grade:
    """Return finished marks of a submission."""
    marks = tuple(Mark(question, 3, earned, "") for question, earned in points.items())
    return Grade(SubmissionId("ben", "notebook", sha256), marks)


@pytest.mark.parametrize(
    ("sha256", "points", "stay"),
    [(OWN, 2, True), (OWN, None, False), ("f" * 64, 2, False)],
    ids=["its own", "none", "an earlier upload's"],
)
def test_marks_until_then_stay(
    tmp_path: Path, sha256: str, points: float | None, stay: bool
) -> None:
    """Marks earned before its grader was lost stay; without any, or with others', none are shown."""

    def answer(sent: Sent, times: int, out: Path) -> Graded:
        if sent.student == "ben":
            (out / "ben").mkdir(exist_ok=True)
            results.write_grade(out / "ben", marked(sha256, points))
            raise Lost("its grader ended")
        return done(sent, out)

    run(tmp_path, answer)
    grade = results.read_grade(tmp_path / "out" / "ben")
    assert grade.remarks == (unmarked.ENDED if stay else not_graded(unmarked.LOST),)
    assert bool(grade.marks) is stay
    assert ("so far" in (tmp_path / "out" / "ben" / "results.json").read_text()) is stay


def test_stored_facts_stay_whatever_is_beside_the_notebook(tmp_path: Path) -> None:
    """If only they were being judged again, losing the grader removes neither facts nor marks."""
    folder, out = tmp_path / "ben", tmp_path / "out"
    folder.mkdir()
    text = {"cell_type": "markdown", "id": "a", "metadata": {}, "source": "Text."}
    (folder / "hw.ipynb").write_text(json.dumps({"cells": [text], "nbformat": 4}))
    (folder / "helper.py").write_text("x = 1\n")
    (folder / "broken.py").write_bytes(b"\xff")
    (found,), _ = discover.find([folder])
    submission = reading.read(found, Homework("Title", ()))
    assert submission.helpers
    mine = out / found.student
    mine.mkdir(parents=True)
    results.write_log(mine, SubmissionLog("hw", submission.id, complete=True))
    results.write_grade(mine, Grade(submission.id, (Mark("mean", 3, 2, ""),)))

    def lose(sent: Sent, times: int, out: Path) -> Graded:
        raise Lost("its grader ended")

    (graded,) = scheduler.grade([found], Fake(out, lose), out, COURSE, limit=1_000)
    assert graded.failed
    assert results.complete(mine)
    assert results.read_grade(mine).score == 2


@pytest.mark.parametrize(("graders", "tries"), [(1, ATTEMPTS), (ATTEMPTS, 2)])
def test_beside_others_nobody_is_to_blame(tmp_path: Path, graders: int, tries: int) -> None:
    """Alone, it counts the graders it lost; a machine that tried several needs no more."""

    def answer(sent: Sent, times: int, out: Path) -> Graded:
        if sent.student in ("ada", "ben") and (sent.student == "ada" or times == 1):
            raise Lost("its workers were lost", graders)
        return done(sent, out)

    graded, fake = run(tmp_path, answer)
    assert [one.name for one in graded if one.failed] == ["ada"]
    assert [name for name, _ in fake.tries].count("ada") == tries
    assert [name for name, _ in fake.tries].count("ben") == 2


def test_a_grader_that_gives_up_its_own_work_costs_no_try(tmp_path: Path) -> None:
    """However often a machine fails, its submissions are graded elsewhere."""

    def answer(sent: Sent, times: int, out: Path) -> Graded:
        if times <= 2 * ATTEMPTS:
            raise Lost("its machine does not work", 0)
        assert not sent.cautious
        return done(sent, out)

    graded, _ = run(tmp_path, answer)
    assert not any(one.failed for one in graded)


def test_what_was_starved_is_tried_again_at_the_end_alone(tmp_path: Path) -> None:
    """That happens once, even if its grader is lost in between."""

    def answer(sent: Sent, times: int, out: Path) -> Graded:
        if sent.student == "eve" and times == 2:
            raise Lost("its grader ended")
        assert sent.last == (times > 1)
        return Graded(sent.student, out, starved=sent.student != "zoe" and not sent.last)

    graded, fake = run(tmp_path, answer)
    assert graded[0].name == "zoe"
    assert [under_way for _, under_way in fake.tries[4:]] == [1] * 4
    assert fake.tries[-1] == ("eve", 1)


@pytest.mark.parametrize(("number", "stay"), [(errno.EIO, True), (errno.EACCES, False)])
def test_an_error_that_may_pass_keeps_earlier_marks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, stay: bool
) -> None:
    """A shared disk may be away for a moment; a file that nobody may read is the student's."""
    folder = tmp_path / "out" / "ben"
    folder.mkdir(parents=True)
    results.write_grade(folder, graded_as(OWN, mean=3))

    def fail(*_: object, **__: object) -> Sent:
        raise OSError(number, "no")

    monkeypatch.setattr(Sent, "read", fail)
    found = [Found("ben", given(folder))]
    fake = Fake(tmp_path / "out", lambda sent, times, out: done(sent, out))
    (graded,) = scheduler.grade(found, fake, tmp_path / "out", COURSE, limit=100)
    assert graded.later is stay
    assert results.has_marks(folder) is stay
    assert ("its earlier results stay" in graded.complaint) is stay


def test_marks_that_differ_from_an_earlier_grading_are_recorded(tmp_path: Path) -> None:
    """Only those of the same file; whatever falls is named, also after a starved try."""
    for name, sha256 in (("ben", OWN), ("eve", OWN), ("zoe", "f" * 64)):
        folder = tmp_path / "out" / name
        folder.mkdir(parents=True)
        results.write_grade(folder, graded_as(sha256, mean=3, count=1))

    def answer(sent: Sent, times: int, out: Path) -> Graded:
        (out / sent.student).mkdir(exist_ok=True)
        if sent.student == "eve" and times == 1:
            results.write_grade(out / "eve", marked(OWN, 0))
            return Graded("eve", out, starved=True)
        points = {"mean": 3, "count": 2} if sent.student == "eve" else {"mean": 1, "count": 1}
        return Graded(sent.student, out, graded_as(OWN, **points))

    graded, _ = run(tmp_path, answer)
    assert [line for one in graded for line in one.fell] == ["ben mean: 3 -> 1"]
    changes = mark_changes.read(tmp_path / "out")
    assert [(one.by, one.student, one.what, one.before, one.after) for one in changes] == [
        ("grade", "ben", "mean", "3", "1"),
        ("grade", "eve", "count", "1", "2"),
    ]


@pytest.mark.parametrize("lost", [False, True])
def test_marks_that_a_failed_grader_removed_or_kept_are_recorded(
    tmp_path: Path, lost: bool
) -> None:
    """Marks that are still in the folder have not fallen."""
    folder = tmp_path / "out" / "ben"
    folder.mkdir(parents=True)
    results.write_grade(folder, graded_as(OWN, mean=3, count=1))

    def answer(sent: Sent, times: int, out: Path) -> Graded:
        if sent.student != "ben":
            return done(sent, out)
        results.write_grade(folder, marked(OWN, 3))
        if lost:
            raise Lost("its grader ended")
        return Graded("ben", folder, failed=True)

    graded, _ = run(tmp_path, answer)
    assert [line for one in graded for line in one.fell] == ["ben count: 1 -> 0"]
    assert [one.what for one in mark_changes.read(tmp_path / "out")] == ["count"]


@pytest.mark.parametrize(
    ("mark", "lost"),
    [
        (Mark("mean", 5, 3, ""), True),
        (Mark("mean", 5, 5, ""), False),
        (Mark("argue", 5, None, "", by_hand=True), False),
        (Mark("argue", 5, 0, "", by_hand=True), False),
    ],
)
def test_extra_credit_hides_no_lost_points(mark: Mark, lost: bool) -> None:
    """Otherwise what a busy machine cost would not be graded again."""
    grade = Grade(SubmissionId("ben", "notebook", OWN), (mark, Mark("more", 2, 2, "", extra=True)))
    assert has_lost_points(grade) is lost


def test_what_cannot_be_read_costs_nobody_else_theirs(tmp_path: Path) -> None:
    """It gives one complaint, and no grader sees it."""
    (tmp_path / "big.ipynb").write_bytes(b"x" * 101)
    found = [Found("big", given(tmp_path / "big.ipynb"))]
    fake = Fake(tmp_path / "out", lambda sent, times, out: done(sent, out))
    (graded,) = scheduler.grade(found, fake, tmp_path / "out", COURSE, limit=100)
    assert graded.grade is None
    assert graded.complaint
    assert not fake.tries
