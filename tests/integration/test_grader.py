"""bulk: files are whole, what is done is known, and one failure stays one."""

import dataclasses
import json
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from autograder.grading import grader, preflight, unmarked
from autograder.grading.grader import AGAIN, Grader, Task
from autograder.grading.wire import Graded
from autograder.records.facts import Submission
from autograder.records.homework import Homework
from autograder.records.questions import Check, Inputs, Value, Verdict
from autograder.reports import report
from autograder.sandbox import canary
from autograder.sandbox.execute import execute
from autograder.sandbox.run import SandboxFault
from autograder.sandbox.supervisor import Sandbox
from autograder.store import files, results
from autograder.submission import discover
from tests.helpers import COURSE, TOY, earned, with_cells
from tests.redteam import attack

pytestmark = pytest.mark.slow
PERFECT = TOY / "source" / "toy" / "toy.ipynb"
UNFILLED = TOY / "release" / "toy" / "toy.ipynb"


def grade(paths: list[Path], toy: Homework, out: Path, *, force: bool = False) -> list[Graded]:
    found, _ = discover.find(paths)
    with Sandbox() as sandbox:
        return list(Grader(toy, COURSE, sandbox, force=force).grade_all(found, out))


def by_name(graded: list[Graded]) -> list[Graded]:
    """Return them in this order, even where a busy machine had one graded again at the end."""
    return sorted(graded, key=lambda item: item.name)


def submitted(tmp_path: Path, *students: str, notebook: Path = PERFECT) -> Path:
    """Submit a notebook for some students; return the folder of submissions."""
    folder = tmp_path / "in"
    folder.mkdir(exist_ok=True)
    for student in students:
        shutil.copy(notebook, folder / f"{student}.ipynb")
    return folder


@pytest.fixture
def submission(tmp_path: Path) -> Path:
    return submitted(tmp_path, "ada", notebook=UNFILLED) / "ada.ipynb"


def test_our_own_failure_is_nobodys_score(
    toy: Homework, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bug in a view stops one submission; the traceback is kept for staff, and the others go on."""
    folder = submitted(tmp_path, "ada", "ben", notebook=UNFILLED)
    write = report.html

    def fail_for_ada(result: object, log: object, **options: str) -> str:
        if log.submission.student == "ada":  # type: ignore[attr-defined]
            raise ZeroDivisionError("our bug")
        return write(result, log, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(report, "html", fail_for_ada)
    # However busy the machine is: what is earned so far is written after some seconds, and stays.
    monkeypatch.setattr(grader, "PROGRESS_SECONDS", 1_000.0)
    ada, ben = by_name(grade([folder], toy, tmp_path / "out"))
    assert ada.failed
    assert ada.grade is None
    assert "ZeroDivisionError" in (ada.folder / "failure.txt").read_text()
    said = json.loads((ada.folder / "results.json").read_text())
    assert (said["score"], unmarked.FAILED in said["output"]) == (0, True)
    assert not results.complete(ada.folder)
    assert ben.grade is not None
    again = by_name(grade([folder], toy, tmp_path / "out"))
    assert [item.skipped for item in again] == [False, True]


class Broken(Check):
    """Fails at every value."""

    def __call__(self, inputs: Inputs, value: Value) -> Verdict:
        raise ZeroDivisionError("our bug")


def test_a_check_of_ours_that_fails_is_told_to_staff(toy: Homework, tmp_path: Path) -> None:
    """Its question loses itself, all other marks are there, and the run does not end well."""
    questions = tuple(
        dataclasses.replace(q, check=Broken()) if q.id == "count" else q for q in toy.questions
    )
    broken, folder = dataclasses.replace(toy, questions=questions), submitted(tmp_path, "ada")
    (done,) = grade([folder], broken, tmp_path / "out")
    assert done.failed
    assert done.grade is not None
    marks = earned(done.grade)
    assert (marks["count"], marks["mean"]) == (0, 3)
    assert done.complaint.startswith("ada: the check of count (ZeroDivisionError")
    assert "our bug" in (done.folder / "failure.txt").read_text()
    for name in ("results.json", "report.html"):
        assert "our bug" not in (done.folder / name).read_text()


def test_a_refused_submission_leaves_no_older_marks(
    toy: Homework, submission: Path, tmp_path: Path
) -> None:
    """Results of what was submitted before do not stand for what is there now; that is reported, once.

    Nor does a file that was being written when its grader was killed.
    """
    out = tmp_path / "out"
    grade([submission], toy, out)
    (out / "ada" / "failure.txt.tmp").write_text("Trace")
    submission.write_text("garbage")
    (item,) = grade([submission], toy, out)
    assert "not a notebook" in item.complaint
    assert "the earlier marks were removed, too" in item.complaint
    assert "gone" not in grade([submission], toy, out)[0].complaint
    left = {path.name for path in item.folder.iterdir()}
    assert left == {"grade.json", "report.html", "results.json"}
    marks = json.loads((item.folder / "results.json").read_text())
    assert marks["score"] == 0
    assert "not a notebook" in marks["output"]


def test_a_changed_submission_is_graded_again(
    toy: Homework, submission: Path, tmp_path: Path
) -> None:
    """Skipping goes by content, and force does not skip."""
    out = tmp_path / "out"
    assert not grade([submission], toy, out)[0].skipped
    assert grade([submission], toy, out)[0].skipped
    assert not grade([submission], toy, out, force=True)[0].skipped
    submission.write_text(submission.read_text() + "\n")
    assert not grade([submission], toy, out)[0].skipped


def test_another_secret_or_homework_grades_again(
    toy: Homework, submission: Path, tmp_path: Path
) -> None:
    """Results from a different secret or version of a homework do not count as done."""
    (found,), _ = discover.find([submission])
    out = tmp_path / "out"
    other = replace(COURSE, secret="another")
    with Sandbox() as sandbox:
        graders = [
            Grader(toy, COURSE, sandbox),
            Grader(toy, other, sandbox),
            Grader(dataclasses.replace(toy, facts_digest="another"), other, sandbox),
        ]
        for grader in graders:
            files.make_folder(out)
            assert not grader.grade(found, out).skipped
            assert grader.grade(found, out).skipped
        assert not graders[0].grade(found, out).skipped


def test_results_that_cannot_be_written_cost_nobody_else_theirs(
    toy: Homework, tmp_path: Path
) -> None:
    """Where a file is in the way of one student's folder, one complaint names it."""
    out = tmp_path / "out"
    out.mkdir()
    (out / "ada").write_text("in the way")
    ada, ben = grade([submitted(tmp_path, "ada", "ben", notebook=UNFILLED)], toy, out)
    assert ada.failed
    assert "FileExistsError" in ada.complaint
    assert ben.grade is not None


def reports_our_failure(tmp_path: Path) -> Path:
    """Submit the notebook of ada, whose process says that code of ours failed in it, and ben's."""
    notebook = json.loads(PERFECT.read_text())
    source = 'import os\nfor fd in range(3, 64):\n    try:\n        os.write(fd, b\'{"broken": "Forged: x"}\\n\')\n'
    source += "    except OSError:\n        pass"
    notebook["cells"].append(attack.new_cell(source))
    folder = submitted(tmp_path, "ben")
    attack.write(notebook, folder, "ada.ipynb")
    return folder


def test_a_failure_in_one_process_is_nobodys_zero(toy: Homework, tmp_path: Path) -> None:
    """Where code of ours failed beside one submission, it has no marks, and the others have theirs."""
    ada, ben = by_name(grade([reports_our_failure(tmp_path)], toy, tmp_path / "out"))
    assert ada.failed
    assert ada.complaint.endswith("the grader failed (Forged: x); its failure.txt shows where")
    assert (ada.folder / "failure.txt").read_text() == "Forged: x"
    assert ada.grade is None
    assert not results.complete(ada.folder)
    assert ben.grade is not None
    assert ben.grade.score == 5


def test_a_failure_in_every_process_ends_the_run(
    toy: Homework, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After one process that failed, the canary decides whether it was that submission's alone."""
    # Otherwise a busy machine saves what was earned until then.
    monkeypatch.setattr(grader, "PROGRESS_SECONDS", 1_000.0)
    found, _ = discover.find([reports_our_failure(tmp_path)])
    with Sandbox() as sandbox:
        assert sandbox.layers
        monkeypatch.setattr(canary, "examine", lambda run: _fails())
        with pytest.raises(SandboxFault, match="all of it"):
            list(Grader(toy, COURSE, sandbox).grade_all(found, tmp_path / "out"))
    assert not list((tmp_path / "out").rglob("*.json"))


def _fails() -> None:
    raise SandboxFault("all of it")


def losses(task: Task) -> str:
    with Grader.open(task) as one:
        return preflight.losses(task, one)


def test_what_the_instructors_notebook_loses_is_known_before_a_class_is_graded(
    tmp_path: Path,
) -> None:
    """It runs once; only a new version of something makes it run again."""
    root, out = tmp_path / "course", tmp_path / "out"
    shutil.copytree(TOY, root)
    files.make_folder(out)
    task = Task(root, "toy", COURSE, out)
    assert losses(task) == ""
    page = out / preflight.FOLDER / "instructor" / files.REPORT
    before = page.stat().st_mtime_ns
    assert losses(task) == ""
    assert page.stat().st_mtime_ns == before
    source = root / "source" / "toy" / "toy.ipynb"
    source.write_text(source.read_text().replace("np.mean(chosen)", "np.sum(chosen)"))
    said = losses(task)
    assert "does not earn full marks on this machine (mean 0 of 3)" in said
    assert str(page) in said


def test_a_folder_that_was_there_keeps_its_mode(
    toy: Homework, submission: Path, tmp_path: Path
) -> None:
    """A folder of results that the instructor made stays as it is."""
    there = tmp_path / "there"
    there.mkdir()
    there.chmod(0o755)
    grade([submission], toy, there)
    assert stat.S_IMODE(there.stat().st_mode) == 0o755


SPOILER = """
count, mean, spoiled = count_positive, mean_positive, []


def count_positive(numbers):
    spoiled.append(True)
    return count(numbers)


def mean_positive(numbers):
    return 0 * mean(numbers) if spoiled else mean(numbers)
"""


def test_an_answer_cannot_spoil_another(toy: Homework, tmp_path: Path) -> None:
    """A change of the notebook's globals is undone before the next answer."""
    notebook = json.loads(PERFECT.read_text())
    notebook["cells"].append(attack.new_cell(SPOILER))
    folder = submitted(tmp_path, "perfect")
    attack.write(notebook, folder, "spoiled.ipynb")
    graded = grade([folder], toy, tmp_path / "out")
    assert len(graded) == 2
    for item in graded:
        assert item.grade is not None
        assert item.grade.score == 5


@pytest.mark.parametrize("always", [False, True])
def test_what_was_starved_is_graded_again_at_the_end(
    toy: Homework, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, always: bool
) -> None:
    """Once, after the others; until then its marks are not final, and a change of them is reported."""
    out = tmp_path / "out"
    runs: list[str] = []

    def starved(
        submission: Submission, *args: Any, sandbox: Sandbox, **options: Any
    ) -> Iterator[Any]:
        runs.append(submission.id.student)
        first = runs == ["ada"]
        if first or always:
            submission = with_cells(submission, mean_answer="raise TimeoutError")
        if runs == ["ada", "ben"]:
            assert not results.complete(out / "ada")
            assert "has not finished" in (out / "ada" / "results.json").read_text()
        yield from execute(submission, *args, sandbox=sandbox, **options)
        sandbox.starved = first or always

    monkeypatch.setattr("autograder.grading.grader.execute", starved)
    folder = submitted(tmp_path, "ada", "ben")
    graded = {item.name: item for item in grade([folder], toy, out)}
    assert runs == ["ada", "ben", "ada", "ben"][: 4 if always else 3]
    assert list(graded) == (["ada", "ben"] if always else ["ben", "ada"])
    assert [item.grade and item.grade.score for item in graded.values()] == [2 if always else 5] * 2
    said = (out / "ada" / "results.json").read_text()
    assert (AGAIN in said) is not always
    assert AGAIN not in (out / "ben" / "results.json").read_text()
    assert results.complete(out / "ada")
