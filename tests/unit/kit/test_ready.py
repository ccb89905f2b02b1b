"""The last cell of a notebook: each question's state, and cells that ran out of order."""

from pathlib import Path
from typing import Any

import nbformat
import pytest

from autograder.authoring import kit_cells
from tests.helpers import ROOT


def written(extra: frozenset[str] = frozenset()) -> nbformat.NotebookNode:
    """Return a notebook with the kit's cells, an answer, its check, and a written answer below."""
    v4 = nbformat.v4
    solution = (
        "    ### BEGIN SOLUTION\n    return x\ndef secret():\n    return 1\n    ### END SOLUTION"
    )
    answer = v4.new_code_cell(f"def mean(x):\n{solution}", id="mean_answer")
    answer.metadata["nbgrader"] = {"grade": False, "solution": True, "grade_id": "mean_answer"}
    check = v4.new_code_cell("check('mean', lambda: None)", id="mean")
    check.metadata["nbgrader"] = {"grade": True, "solution": False, "grade_id": "mean", "points": 4}
    why = v4.new_markdown_cell("Because.", id="why")
    why.metadata["nbgrader"] = {"grade": True, "solution": True, "grade_id": "why", "points": 2}
    tool = v4.new_code_cell("", id="check_tool")
    notebook = v4.new_notebook(cells=[tool, answer, check, why])
    assert kit_cells.with_tools(notebook, extra)
    assert not kit_cells.with_tools(notebook, extra)
    return notebook


def ready(
    capsys: pytest.CaptureFixture[str], *, extra: frozenset[str] = frozenset(), **names: Any
) -> str:
    """Return the last cell's output."""
    notebook = written(extra)
    assert notebook.cells[-1].id == "ready_tool"
    assert "secret" not in notebook.cells[-1].source
    exec(notebook.cells[-1].source, dict(names))
    return capsys.readouterr().out


TYPED = ["", "def mean(x):\n    return x", "check('mean', lambda: None)"]


def test_all_is_well(capsys: pytest.CaptureFixture[str]) -> None:
    said = ready(capsys, In=TYPED, CHECK_STATES={"mean": (2, "passed")})
    assert "mean                              4  passed" in said
    assert "why                               2  marked by hand" in said
    assert "Passed here: 4 of 4 points" in said
    assert "Marked by hand: 2 points." in said
    assert "ran from top to bottom" in said


def test_the_last_cell_sees_what_the_cells_above_did(capsys: pytest.CaptureFixture[str]) -> None:
    """All cells run in one notebook, as in a kernel, which keeps their texts in `In`."""
    names: dict[str, Any] = {"In": [""]}
    for cell in written().cells:
        if cell.cell_type == "code":
            names["In"].append(cell.source)
            exec(cell.source, names)
    said = capsys.readouterr().out
    assert "mean                              4  passed" in said
    assert "ran from top to bottom" in said


def test_extra_credit_is_counted_by_itself(capsys: pytest.CaptureFixture[str]) -> None:
    extra = frozenset({"mean"})
    said = ready(capsys, extra=extra, In=TYPED, CHECK_STATES={"mean": (2, "passed")})
    assert "Passed here: 0 of 0 points and 4 of 4 extra; hidden inputs decide." in said
    said = ready(capsys, extra=extra, In=TYPED, CHECK_STATES={"mean": (2, "not written yet")})
    assert "Passed here: 0 of 0 points and 0 of 4 extra" in said
    said = ready(capsys, extra=frozenset({"why"}), In=TYPED)
    assert "Marked by hand: 0 points and 2 extra." in said
    assert "why                               2  marked by hand" in said


def test_a_check_that_complains_has_its_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    said = ready(capsys, In=TYPED, CHECK_STATES={"mean": (2, "not written yet")})
    assert "4  not written yet" in said
    assert "Passed here: 0 of 4 points" in said
    assert (
        "Not passed here yet: 1 question, from mean on. You can submit unfinished\nwork: save"
        in said
    )
    assert "ran from top to bottom" not in said


def test_an_answer_that_ran_after_its_check(capsys: pytest.CaptureFixture[str]) -> None:
    typed = [TYPED[0], TYPED[2], TYPED[1]]
    said = ready(capsys, In=typed, CHECK_STATES={"mean": (1, "passed")})
    assert "passed, but an answer above has run since: run the check again" in said
    assert "Passed here: 0 of 4 points" in said
    assert "Out of order: the answer mean ran after the check mean, which is below it." in said
    assert "Restart the kernel" in said


@pytest.mark.parametrize("names", [{}, {"In": 5, "CHECK_STATES": {}}])
def test_nothing_ran(capsys: pytest.CaptureFixture[str], names: dict[str, Any]) -> None:
    """This holds even without a kernel, or if a student has reused its name."""
    said = ready(capsys, **names)
    assert "its check has not run yet" in said
    assert "Restart the kernel" in said
    assert "ran from top to bottom" not in said


@pytest.mark.parametrize(
    "path", sorted(ROOT.glob("solutions/*/*.ipynb")), ids=lambda path: path.stem
)
def test_every_answer_of_a_solution_has_passed(path: Path) -> None:
    (ready,) = (cell for cell in nbformat.read(path, 4).cells if cell.get("id") == "ready_tool")
    said = "".join(output.get("text", "") for output in ready.outputs)
    assert "ran from top to bottom" in said
