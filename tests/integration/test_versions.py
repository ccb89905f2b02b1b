"""Two versions: what `grade` does again after a change of the grader, or of a homework."""

import contextlib
import io
import json
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from autograder.cli.main import app
from autograder.records import versions
from autograder.store import results
from tests.helpers import ROOT, TOY
from tests.redteam import attack

pytestmark = [pytest.mark.slow, pytest.mark.turns(2)]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Copy the toy course and the grader's files, of which versions are made; grade once."""
    unneeded = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "autograder", tmp_path / "autograder", ignore=unneeded)
    shutil.copytree(TOY, tmp_path / "course", ignore=unneeded)
    shutil.copy(TOY / "source" / "toy" / "toy.ipynb", tmp_path / "ada.ipynb")
    monkeypatch.setattr(versions, "PACKAGE", tmp_path / "autograder")
    assert "already graded" not in grade(tmp_path)
    yield tmp_path
    forget()


def forget() -> None:
    """Let versions be made anew: a process keeps them."""
    versions.programs.cache_clear()
    versions.digest.cache_clear()


def grade(place: Path) -> str:
    """Grade the instructor's notebook with the grader as it is now; return what is printed."""
    forget()
    words = ["grade", "toy", place / "ada.ipynb", "--out", place / "out"]
    with contextlib.redirect_stdout(io.StringIO()) as printed, contextlib.suppress(SystemExit):
        app([*map(str, words), "--course", str(place / "course")])
    return printed.getvalue()


def facts_and_marks(place: Path) -> tuple[float, str]:
    """Return when the submission was run, and of which version its marks are."""
    folder = place / "out" / "ada"
    marks = results.read_grade(folder)
    assert marks.complete
    assert marks.score > 0
    return results.read_log(folder).time, marks.version


@pytest.mark.parametrize(
    ("changed", "runs", "judges"),
    [
        ("autograder/reports/report.py", False, False),
        ("autograder/staff/paper/pdf.py", False, False),
        ("course/source/toy/staff/rubrics/argue.md", False, False),
        ("autograder/marking/judge.py", False, True),
        ("autograder/kit/checks.py", False, True),
        ("course/source/toy/staff/reference.py", False, True),
        ("autograder/sandbox/execute.py", True, False),
        ("autograder/sandbox/inside/evaluate.py", True, False),
        ("autograder/program/match.py", True, False),
        ("course/source/toy/staff/adapters.py", True, True),
        ("autograder/records/codec.py", True, True),
    ],
)
def test_what_a_change_does_again(place: Path, changed: str, runs: bool, judges: bool) -> None:
    """A page: nothing. A check: the stored facts are judged. What makes facts: the code runs."""
    time, version = facts_and_marks(place)
    with (place / changed).open("a") as file:
        file.write("\n# changed\n")
    printed = grade(place)
    done = "judged again" if judges else "already graded"
    assert (done in printed) is not runs, printed
    after = facts_and_marks(place)
    assert (after[0] != time) is runs
    assert (after[1] != version) is judges


def test_another_solution_judges_again(place: Path) -> None:
    """Known mistakes are edits of the solution; students' code does not run again."""
    time, version = facts_and_marks(place)
    notebook = place / "course" / "source" / "toy" / "toy.ipynb"
    text = notebook.read_text()
    assert text.count("return int((numbers > 0).sum())") == 1
    notebook.write_text(text.replace("int((numbers > 0).sum())", "int(np.sum(numbers > 0))"))
    assert "judged again" in grade(place)
    after = facts_and_marks(place)
    assert (after[0], after[1] == version) == (time, False)


def test_a_library_that_a_homework_does_not_import_runs_nothing_again(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The toy homework imports numpy alone."""
    time, _ = facts_and_marks(place)
    monkeypatch.setattr(versions, "LIBRARIES", ("numpy", "ipykernel"))
    assert "already graded" in grade(place)
    monkeypatch.setattr(versions, "LIBRARIES", ("ipykernel",))
    assert "already graded" not in grade(place)
    assert facts_and_marks(place)[0] != time


def test_what_a_stricter_check_refuses_is_run_again_where_it_may_be_right_later(
    place: Path,
) -> None:
    """It was right at its check, so its state at the end was never evaluated."""
    notebook = json.loads((place / "ada.ipynb").read_text())
    (answer,) = (cell for cell in notebook["cells"] if cell["id"] == "mean_answer")
    source = "".join(answer["source"])
    offset = "\n\nright, OFFSET = mean_positive, [0.01]\n\ndef mean_positive(numbers):\n    return right(numbers) + OFFSET[0]"
    answer["source"] = source + offset
    notebook["cells"].append(attack.new_cell("OFFSET[0] = 0.0"))
    (place / "ada.ipynb").write_text(json.dumps(notebook))
    spec = place / "course" / "source" / "toy" / "staff" / "spec.py"
    strict = spec.read_text()
    spec.write_text(strict.replace("reference.mean, 1e-6", "reference.mean, 0.5"))
    forget_the_homework()
    grade(place)
    time, _ = facts_and_marks(place)
    whole = results.read_grade(place / "out" / "ada").score
    spec.write_text(strict)
    forget_the_homework()
    grade(place)
    assert facts_and_marks(place)[0] != time
    assert results.read_grade(place / "out" / "ada").score == whole


def forget_the_homework() -> None:
    """Have staff files read again, as another process does."""
    for name in [name for name in sys.modules if name.startswith("staff_of_toy")]:
        del sys.modules[name]
