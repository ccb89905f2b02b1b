"""`autograder try` and `check`, once and with `--watch`: what an author sees while writing."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from autograder.authoring import preview, release
from autograder.records.errors import UserError
from tests.command_line import run

pytestmark = [pytest.mark.slow, pytest.mark.turns(5)]


@pytest.mark.parametrize(
    ("what", "earned", "fits"),
    [
        ("instructor", [2, 3, None], None),
        ("unfilled", [0, 0, 0], None),
        ("wrong/counts_zeros", [0, 3, None], "counts_zeros"),
        ("right/loops", [2, 3, None], None),
    ],
)
def test_one_answer_is_graded(
    mine: Path, what: str, earned: list[float | None], fits: str | None
) -> None:
    """It is graded like a student's, with the page that a student would read."""
    graded = preview.grade(mine, "toy", what)
    assert graded.grade
    assert [one.earned for one in graded.grade.marks] == earned
    named = [one.misconception.name for one in graded.grade.marks if one.misconception]
    assert named == [fits] * bool(fits)
    assert "Toy: numbers above zero" in (graded.folder / "report.html").read_text()
    assert graded.folder.stat().st_mode & 0o77 == 0


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("wrong/nothing", "staff/wrong has: counts_zeros, divides_by_all"),
        (
            "nothing.ipynb",
            "give instructor, unfilled, wrong/NAME, right/NAME, or an existing notebook",
        ),
    ],
)
def test_an_answer_that_is_not_there_is_one_line(mine: Path, what: str, said: str) -> None:
    """The line lists the existing answers."""
    with pytest.raises(UserError, match=said):
        preview.grade(mine, "toy", what)


def test_an_answer_is_graded_again_after_every_save(mine: Path) -> None:
    """Of the homework or of the answer; a mistake in between is one line, and the next save mends it."""
    spec = mine / "source" / "toy" / "staff" / "spec.py"
    wrong = spec.parent / "wrong" / "counts_zeros.py"
    good, text = spec.read_text(), wrong.read_text()
    words = [sys.executable, "-u", "-m", "autograder", "try", "toy", "wrong/counts_zeros"]
    with subprocess.Popen(
        [*words, "--watch", "--course", str(mine)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
    ) as watching:
        assert watching.stdout is not None

        def until(end: str) -> list[str]:
            lines = [watching.stdout.readline()]
            while end not in lines[-1]:
                assert lines[-1], "it ended"
                lines.append(watching.stdout.readline())
            return lines

        first = until("wrote ")
        spec.write_text(good.replace("Close(reference.count", "Klose(reference.count"))
        until("spec.py: line 30: NameError: name 'Klose' is not defined")
        spec.write_text(good)
        assert until("wrote ") == first
        wrong.write_text(text.replace(">= 0", "> 0"))
        mended = until("wrote ")
        watching.terminate()
    assert any(line.startswith("count 0/2: ") for line in first)
    assert any(line.startswith("count 2/2: ") for line in mended)


def test_watching_is_for_one_homework(mine: Path) -> None:
    """Of several nobody could say which failed."""
    words = [sys.executable, "-m", "autograder", "check", "--watch", "--course", str(mine)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (done.returncode, "--watch takes one homework" in done.stderr) == (2, True)


def test_an_edited_answer_is_not_told_of_a_busy_machine(mine: Path, tmp_path: Path) -> None:
    """Its marks differ from the previous preview's, but no try was starved."""
    answer = tmp_path / "mine.ipynb"
    right = (mine / "solutions" / "toy" / "toy.ipynb").read_text(encoding="utf-8")
    scores = []
    for text in (right, right.replace("numbers > 0", "numbers > 1")):
        answer.write_text(text, encoding="utf-8")
        graded = preview.grade(mine, "toy", str(answer))
        assert graded.grade
        scores.append(graded.grade.score)
        assert "too busy" not in (graded.folder / "report.html").read_text(encoding="utf-8")
    assert scores[0] > scores[1]


def test_a_module_that_cannot_be_imported_is_one_line(mine: Path) -> None:
    """The homework's own word is named, and where it is."""
    spec = mine / "source" / "toy" / "staff" / "spec.py"
    spec.write_text(
        spec.read_text().replace('    title="Toy', '    warm=("no_such_module",),\n    title="Toy')
    )
    with pytest.raises(
        UserError, match=r"spec\.py: warm: 'no_such_module' cannot be imported here"
    ):
        preview.grade(mine, "toy", "instructor")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("1 / 0", "raises ZeroDivisionError: division by zero; fix it there"),
        ("raise NotImplementedError", "raises NotImplementedError; fix it there"),
        ("import os; os._exit(1)", "ends the kernel; fix it there"),
        ("import time; time.sleep(9)", "takes more than 1 s; fix it there"),
    ],
)
def test_a_notebook_that_does_not_run_is_one_line(
    mine: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    line: str,
    said: str,
) -> None:
    """And the solution stays as it was."""
    if "sleep" in line:
        monkeypatch.setattr(release, "EXECUTION_SECONDS", 1)
    path = mine / "source" / "toy" / "toy.ipynb"
    notebook = json.loads(path.read_text(encoding="utf-8"))
    (cell,) = [cell for cell in notebook["cells"] if cell["id"] == "count_answer"]
    cell["source"] = f"{''.join(cell['source'])}\n{line}"
    path.write_text(json.dumps(notebook), encoding="utf-8")
    solution = mine / "solutions" / "toy" / "toy.ipynb"
    before = solution.read_bytes()
    status, _, errors = run(capsys, "release", "toy", "--execute", "--course", mine)
    assert status == 2
    where = "autograder: source/toy/toy.ipynb: cell 'count_answer' "
    assert errors.splitlines()[-1].startswith(f"{where}{said}")
    assert "Traceback" not in errors
    assert solution.read_bytes() == before
