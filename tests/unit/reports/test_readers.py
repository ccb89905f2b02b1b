"""Remarks: students see their own, staff see those and their own, and authors theirs."""

import ast
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import nbformat
import pytest

from autograder.course.people import People
from autograder.grading import grader, regrade, wire
from autograder.marking.judge import UNRELATED, judge
from autograder.marking.mark import mark
from autograder.platforms.nbgrader import autograded
from autograder.platforms.nbgrader.answers import answers
from autograder.program.build import build
from autograder.records.facts import Remark, Submission, SubmissionLog
from autograder.records.homework import Homework
from autograder.records.versions import PACKAGE
from autograder.reports import executed, tables
from autograder.sandbox.execute import execute
from autograder.staff import regrade_requests
from autograder.staff.class_page import write as class_page
from autograder.store import files, log_summary, results
from autograder.store.executed import read
from tests.helpers import COURSE, SECRET, TOY, of_code

SAID = {"student": "Said to the learner.", "staff": "Said to the team.", "author": "Said to me."}
REMARKS = tuple(Remark(reader, text) for reader, text in SAID.items())  # type: ignore[arg-type]


@pytest.fixture
def folder(tmp_path: Path, toy: Homework, solved: Submission) -> Path:
    """Return a graded submission with a remark for each reader, among its repairs and elsewhere."""
    program = build(solved, toy)
    log = SubmissionLog(
        toy.name,
        replace(solved.id, student="someone"),
        repairs=REMARKS[:2],
        remarks=REMARKS[1:],
        written=program.written,
        complete=True,
    )
    place = tmp_path / "graded" / "someone"
    place.mkdir(parents=True)
    files.write(place / files.EXECUTED, executed.notebook(program.steps))
    grader.write(place, mark(toy, log, COURSE), log, toy, COURSE)
    results.write_log(place, log)
    return place


def seen(text: str) -> set[str]:
    """Return the readers for whom a text contains something."""
    return {reader for reader, said in SAID.items() if said in text}


def test_students_see_their_own_alone(folder: Path, toy: Homework) -> None:
    """This covers the report, Gradescope's page, formgrader's notebook, and answers to requests."""
    assert seen((folder / files.REPORT).read_text()) == {"student"}
    assert seen((folder / files.RESULTS).read_text()) == {"student"}
    assert seen((folder / files.GRADE).read_text()) == {"student"}
    release = nbformat.read(TOY / "release" / "toy" / "toy.ipynb", 4)
    result = read(folder)
    written = answers(result, toy)
    notebook = autograded.notebook(result, toy, release, written=written, rubrics={})
    assert seen(str(notebook.cells)) == {"student"}
    item = regrade.Regraded(folder, result.log, result.grade, (), ())
    request = regrade_requests.Request("someone", result.grade.marks[0].question, "Why?")
    answer = regrade_requests.answered(request, item, {}, explain=False, given={})
    assert seen(str(answer)) == {"student"}


def test_staff_see_theirs_and_what_students_are_told(folder: Path, toy: Homework) -> None:
    """They are on the class page; a line of `grade` has those for staff."""
    grade = results.read_grade(folder)
    row = tables.Row({one.question: one.earned for one in grade.marks})
    (page,) = class_page.write(
        folder.parent,
        {"someone": grade},
        {"someone": row},
        settings=COURSE,
        load=lambda name: toy,
        roster=People(),
    )
    assert seen(page.read_text()) == {"student", "staff"}
    note = grader.noted(results.read_log(folder))
    assert seen(note) == {"staff"}
    graded = wire.Graded("someone", folder, grade, note=note).brief()
    assert wire.decode(wire.encode(graded), wire.Graded) == graded
    assert graded.note == note


def test_a_log_of_an_earlier_version_is_read(folder: Path) -> None:
    """It had only sentences, which students saw; grading it again assigns readers."""
    path = folder / files.LOG
    log = json.loads(path.read_text())
    log["repairs"], log["remarks"] = ["One."], ["Two.", "Three."]
    del log["unrelated"]
    log["schema"] = 1
    path.write_text(json.dumps(log))
    for found in (results.read_log(folder), log_summary.read(folder)):
        assert found.repairs == (Remark("student", "One."),)
        assert found.remarks == (Remark("student", "Two."), Remark("student", "Three."))


def test_a_notebook_that_has_nothing_of_the_homework_is_not_run(toy: Homework) -> None:
    """It earns nothing, with the reason; no mark stays open, and no sandbox starts."""
    words: dict[str, Any] = {"sandbox": None, "secret": SECRET, "settled": lambda _: ()}
    states = [state.log for state in execute(of_code("x = 1"), toy, **words)]
    assert [(log.complete, log.unrelated, log.outcomes) for log in states] == [(True, True, ())]
    grade = judge(toy, states[0], secret=SECRET)
    assert {(one.earned, one.message) for one in grade.marks} == {(0.0, UNRELATED)}
    assert (grade.score, grade.waiting) == (0, 0)
    (banner, *_) = mark(toy, states[0], COURSE).remarks
    assert banner.startswith("Your notebook contains nothing of this homework")
    assert "nothing of this homework" in grader.noted(states[0])


FOR_STAFF = ("`autograder ", "--", "roster", "the student", "search the")


@pytest.mark.parametrize(
    "room", ["marking", "program", "sandbox/execute.py", "submission/reading.py"]
)
def test_no_sentence_for_a_student_speaks_of_staff_s_tools(room: str) -> None:
    """Such sentences are remarks for staff."""
    path = PACKAGE / room
    for file in path.rglob("*.py") if path.is_dir() else [path]:
        if file.name == "written_answers.py":  # its words are for those who mark
            continue
        tree = ast.parse(file.read_text())
        documented = {
            node.value
            for node in ast.walk(tree)
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                words = node.value
                if node not in documented and " " in words:
                    assert not any(word in words for word in FOR_STAFF), (file.name, words)
