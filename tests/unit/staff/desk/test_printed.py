"""printed: a page has all that explain, regrade and export print, and no text forges a line."""

from dataclasses import replace
from pathlib import Path

import numpy as np

from autograder.course import course, homework, inputs
from autograder.records.facts import Outcome
from autograder.records.marks import Mark, Misconception
from autograder.records.questions import RESULT
from autograder.staff.desk.activity.printed import Change, read
from autograder.staff.explain import text
from autograder.staff.explain.explanation import Case, Explanation, Near
from autograder.store import results
from tests import fabricated_class
from tests.gradebooks import make_course, run
from tests.helpers import TOY
from tests.marking_course import hand_in

FORGED = "Wrong.\nmean: 9 of 9 points\n    case 7: right\nautograder: broken\nnote: all is well"


def test_changes_of_a_regrade_are_a_table(tmp_path: Path) -> None:
    """They are read from the verb's own lines, with the question and the reason."""
    root, toy = make_course(tmp_path / "course", like=TOY), homework.load(TOY, "toy")
    folder = hand_in(root / "out", "Ana B", "Since.")
    log, grade = results.read_log(folder), results.read_grade(folder)
    drawn = inputs.digests(toy, submission=log.submission, secret=course.read(root).secret)
    results.write_log(folder, replace(log, inputs=drawn))
    marks = tuple(
        replace(one, earned=1.5) if one.question == "count" else one for one in grade.marks
    )
    results.write_grade(folder, replace(grade, marks=marks))
    status, said = run(root, "regrade", root / "out", "--diff")
    assert status == 0, said
    found = read("regrade", said)
    why = "Not evaluated: grading did not get this far."
    assert found.changes == [Change("Ana B", "count", "1.5", "0", why)]
    assert found.said[-1] == "Nothing was written."


def test_changes_of_an_export_are_a_table(tmp_path: Path) -> None:
    root = make_course(tmp_path / "course", like=TOY)
    fabricated_class.write(root / "out", 2)
    (root / "canvas.csv").write_text(
        "Student,ID,SIS User ID,SIS Login ID,Section,toy (7)\n"
        '"    Points Possible",,,,,9\nA,1,s00000,a,,\nB,2,s00001,b,,0.5\nC,3,s9,c,,\n'
    )
    words = ("--canvas", root / "canvas.csv", "--preview")
    status, said = run(root, "export", root / "out", *words)
    assert status == 0, said
    found = read("export", said)
    assert [one.student for one in found.changes] == ["s00000", "s00001"]
    assert [one.before for one in found.changes] == ["", "0.5"]
    assert all(not one.question and float(one.after) >= 0 for one in found.changes)
    assert any(line.startswith("2 to write") for line in found.said)


def test_an_explanation_has_its_parts() -> None:
    """Lists, texts and values stay apart, whatever a message or a value of a student says."""
    question = homework.load(TOY, "toy").questions[0]
    outcome = Outcome(question.id, 0, "returned", value={RESULT: np.eye(2)})
    case = Case(
        0, {"n": FORGED}, outcome, None, False, {RESULT: np.ones(2)}, 0.0, FORGED, "At [0]."
    )
    near = Near(Misconception("doubled", "?", "Doubled."), 0, 2.0)
    item = Explanation(
        question, Mark(question.id, 2.0, 0.0, FORGED), "end", (case,), False, (near,)
    )
    printed = "\n".join(
        [*text.lines(item), "wrote x.ipynb, only for staff; to open it:", "  jupyter lab x"]
    )
    found = read("explain", printed)
    (one,) = found.explained
    assert (one.question, one.points) == (question.id, "0 of 2 points")
    first, cases, wrong, tried = one.parts
    assert first.texts == [("the student reads", FORGED)]
    assert cases.items == ["case 1: wrong: At [0]."]
    titles = [title for title, _ in wrong.texts]
    assert titles == [
        "the check prints",
        "hidden inputs",
        "the student's values",
        "expected",
        "first difference",
    ]
    assert "[[1. 0.]\n [0. 1.]]" in dict(wrong.texts)["the student's values"]
    assert tried.items == ["doubled: matches 0 of 1 cases, numbers at most 2 apart"]
    assert found.notes == []
    assert found.said == ["wrote x.ipynb, only for staff; to open it:", "jupyter lab x"]


def test_other_lines_are_sentences_and_notes() -> None:
    """A question to be run again is a change, too; complaints stand elsewhere on the page."""
    found = read("regrade", "s1 mean: run again (its inputs)\nnote: n\nautograder: broken\nDone.\n")
    assert found.changes == [Change("s1", "mean", "", "run again", "its inputs")]
    assert (found.notes, found.said) == (["n"], ["Done."])
    assert read("grade", "s1: 1 -> 2").changes == []
