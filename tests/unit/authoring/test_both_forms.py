"""NAME.py and NAME.ipynb: a change in either goes into the other, and none is lost."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest

from autograder.authoring import both_forms, release, text_source
from autograder.course.homework import HomeworkError
from tests.helpers import write_as_text

TEXT = '''# %% text
# # Title
#
# A sentence with ` %% ` and "quotes".

# %% provided
import numpy as np

# %% text
# ## 1

# %% answer mean
def mean(numbers):
    ### BEGIN SOLUTION
    return np.mean(numbers)
    ### END SOLUTION

# %% check mean 4.5

# %% demo
print("""
# %% no cell
""")

# %% staff
# For the solutions.

# %% written why 2
# Because.
'''
SPEC = """import numpy as np

from autograder.kit import Close, Question

questions = [Question("mean", Close(), shown=[{"numbers": np.array([1.0, 2.0])}])]
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a course with a homework written as text, and the notebook made from it."""
    write_as_text(tmp_path, TEXT, SPEC)
    assert release.refresh(tmp_path, "hw") == (True, "")
    return tmp_path


def form(root: Path, suffix: str) -> Path:
    return root / "source" / "hw" / f"hw.{suffix}"


def edited(root: Path, change: Callable[[Any], None]) -> None:
    """Save the notebook as JupyterLab does."""
    notebook = nbformat.read(form(root, "ipynb"), as_version=4)
    change(notebook)
    form(root, "ipynb").write_text(json.dumps(notebook, indent=1))


def copies(root: Path) -> list[str]:
    return [path.read_text() for path in sorted((root / both_forms.BEFORE).glob("*"))]


def in_the_solution(notebook: Any) -> None:
    (cell,) = (one for one in notebook.cells if one.id == "mean_answer")
    cell.source = cell.source.replace("np.mean(numbers)", "numbers.mean()")


def more_points(notebook: Any) -> None:
    (cell,) = (one for one in notebook.cells if one.id == "mean")
    cell.metadata["nbgrader"]["points"] = 7


def another_cell(notebook: Any) -> None:
    notebook.cells.append(nbformat.v4.new_markdown_cell("More text.\n\n- with a list"))


def broken_line(notebook: Any) -> None:
    notebook.cells[0].source = "# Title\n\nOne line  \nand another"


def fails_on_purpose(notebook: Any) -> None:
    cell = nbformat.v4.new_code_cell("1 / 0 ", metadata={"tags": ["raises-exception"]})
    notebook.cells.append(cell)


def outputs(notebook: Any) -> None:
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = [nbformat.v4.new_output("stream", text="1")]


@pytest.mark.parametrize(
    ("change", "has"),
    [
        (in_the_solution, "return numbers.mean()"),
        (more_points, "# %% check mean 7\n"),
        (another_cell, "# %% text\n# More text.\n#\n# - with a list\n"),
        (broken_line, "\n# One line  \n# and another\n"),
        (fails_on_purpose, "# %% provided raises-exception\n1 / 0 \n"),
    ],
)
def test_a_change_in_jupyterlab_goes_into_the_text(
    root: Path, change: Callable[[Any], None], has: str
) -> None:
    """The earlier text is kept, and the notebook stays as edited."""
    edited(root, change)
    before = both_forms.digest(nbformat.read(form(root, "ipynb"), as_version=4))
    assert "hw.py now has the changes from hw.ipynb" in release.refresh(root, "hw").note
    assert has in form(root, "py").read_text()
    assert copies(root) == [TEXT]
    assert both_forms.digest(nbformat.read(form(root, "ipynb"), as_version=4)) == before
    assert release.refresh(root, "hw") == (False, "")


def test_a_change_in_the_text_goes_into_the_notebook(root: Path) -> None:
    """The notebook has no edits, so no copy is made."""
    form(root, "py").write_text(TEXT.replace("np.mean(numbers)", "numbers.mean()"))
    assert release.refresh(root, "hw") == (True, "")
    assert "numbers.mean()" in form(root, "ipynb").read_text()
    assert copies(root) == []


def test_outputs_are_no_work(root: Path) -> None:
    """A notebook that was only run and saved follows the text."""
    edited(root, outputs)
    form(root, "py").write_text(TEXT.replace("4.5", "5"))
    assert release.refresh(root, "hw") == (True, "")
    assert copies(root) == []


def test_where_both_were_changed_nothing_is_touched(root: Path) -> None:
    """One line offers two ways out, and each keeps a copy of the overwritten form."""
    edited(root, in_the_solution)
    form(root, "py").write_text(TEXT.replace("4.5", "5"))
    before = [form(root, suffix).read_bytes() for suffix in ("py", "ipynb")]
    with pytest.raises(HomeworkError, match=r"have changed; keep one with .*--take ipynb`"):
        release.refresh(root, "hw")
    assert [form(root, suffix).read_bytes() for suffix in ("py", "ipynb")] == before
    other = root / "other"
    shutil.copytree(root / "source", other / "source")
    assert "the earlier notebook is in" in release.refresh(root, "hw", "py").note
    assert "np.mean(numbers)" in form(root, "ipynb").read_text()
    assert copies(root) == [before[1].decode()]
    assert "hw.py now has the changes" in release.refresh(other, "hw", "ipynb").note
    assert "return numbers.mean()" in form(other, "py").read_text()
    assert copies(other) == [before[0].decode()]


def test_a_notebook_without_a_note_is_not_overwritten(root: Path) -> None:
    """An earlier release made it, so nobody knows whether it was edited since."""
    edited(root, lambda notebook: notebook.metadata.pop("autograder"))
    assert release.refresh(root, "hw") == (True, "")  # it is what the text gives
    edited(root, lambda notebook: notebook.metadata.pop("autograder"))
    form(root, "py").write_text(TEXT.replace("4.5", "5"))
    with pytest.raises(HomeworkError, match="have changed"):
        release.refresh(root, "hw")


@pytest.mark.parametrize(
    "cell",
    [
        nbformat.v4.new_raw_cell("raw"),
        nbformat.v4.new_markdown_cell("![](attachment:a.png)", attachments={"a.png": {}}),
        nbformat.v4.new_code_cell("x = 1\n# %% text\ny = 2"),
        nbformat.v4.new_code_cell("x = 1\n# %% no cell\ny = 2"),
    ],
)
def test_what_a_text_cannot_hold_is_one_line(root: Path, cell: Any) -> None:
    """The text stays unchanged."""
    edited(root, lambda notebook: notebook.cells.append(cell))
    with pytest.raises(HomeworkError, match=r"has a cell that hw\.py cannot contain"):
        release.refresh(root, "hw")
    assert form(root, "py").read_text() == TEXT


@pytest.mark.parametrize("change", [in_the_solution, outputs])
def test_a_save_that_comes_meanwhile_is_read(
    root: Path, change: Callable[[Any], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its author may save again while a release is made, and both saves are in both forms."""
    edited(root, change)
    saves = [another_cell, more_points]
    digest = both_forms.digest

    def saving(notebook: Any) -> str:
        if saves:
            edited(root, saves.pop())
        return digest(notebook)

    monkeypatch.setattr(both_forms, "digest", saving)
    release.refresh(root, "hw")
    assert "# %% check mean 7\n" in form(root, "py").read_text()
    assert "More text." in form(root, "ipynb").read_text()
    assert release.refresh(root, "hw") == (False, "")


def test_a_save_that_comes_meanwhile_is_a_new_save(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise, `--watch` would take it for its own write and never try it."""
    form(root, "py").write_text(TEXT.replace("4.5", "5"))
    note = both_forms.note

    def saving(notebook: Any) -> None:
        form(root, "py").write_text(TEXT.replace("4.5", "6"))
        note(notebook)

    monkeypatch.setattr(both_forms, "note", saving)
    wrote: dict[Path, int] = {}
    release.refresh(root, "hw", wrote=wrote)
    notebook = form(root, "ipynb")
    assert wrote == {notebook: notebook.stat().st_mtime_ns}


def test_the_author_s_file_keeps_its_permissions(tmp_path: Path) -> None:
    """A group may share the course folder."""
    path = tmp_path / "hw.py"
    path.write_text("old")
    path.chmod(0o664)
    both_forms.write(path, b"new")
    assert (path.read_text(), path.stat().st_mode & 0o777) == ("new", 0o664)


def test_a_full_disk_leaves_the_notebook(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It may be the author's only copy."""
    form(root, "py").unlink()
    edited(root, lambda notebook: notebook.cells[0].pop("id"))
    before = form(root, "ipynb").read_bytes()

    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(OSError, match="No space"):
        release.refresh(root, "hw")
    assert form(root, "ipynb").read_bytes() == before


def test_students_get_no_note_of_it(root: Path) -> None:
    """The note only concerns staff's files."""
    (given,) = release.release_files(root, "hw").values()
    assert "autograder" not in json.loads(given)["metadata"]


def test_a_text_of_a_notebook_gives_the_notebook_again(root: Path) -> None:
    """This covers every kind of cell, strings with cell marks, and the kit's own cells."""
    notebook = nbformat.read(form(root, "ipynb"), as_version=4)
    path = root / "again.py"
    path.write_text(text_source.text(notebook))
    assert both_forms.digest(text_source.notebook(path)) == both_forms.digest(notebook)
