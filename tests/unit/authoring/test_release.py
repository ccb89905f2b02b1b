"""release: students' files are generated as by nbgrader, and contain no answers."""

import contextlib
from pathlib import Path

import nbformat
import pytest

from autograder.authoring import release
from autograder.course.homework import HomeworkError

NAME = "toy"


@pytest.fixture
def source(mine: Path) -> Path:
    """Return the instructor's notebook in a copy of the toy course."""
    return mine / "source" / NAME / f"{NAME}.ipynb"


def edit(path: Path, old: str, new: str, count: int = -1) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, count), encoding="utf-8")


def test_an_edited_source_makes_both_stale(mine: Path, source: Path) -> None:
    """A changed word in the source is noticed without executing anything."""
    edit(source, "Two functions", "Three functions")
    assert release.stale_release(mine, NAME) == f"release/{NAME}/{NAME}.ipynb is stale"
    assert "a different source" in (release.stale_solution(mine, NAME) or "")
    release.write_release(mine, NAME)
    assert release.stale_release(mine, NAME) is None


def test_a_source_that_breaks_a_rule_leaves_the_release_as_it_was(mine: Path, source: Path) -> None:
    """Students may be looking at it."""
    released = mine / "release" / NAME / f"{NAME}.ipynb"
    before = released.read_bytes()
    edit(source, "### END SOLUTION", "### END SOLUTON", 1)
    with pytest.raises(HomeworkError):
        release.write_release(mine, NAME)
    assert released.read_bytes() == before


def test_an_edited_solution_is_noticed(mine: Path) -> None:
    """Generated files are never edited by hand."""
    edit(mine / "solutions" / NAME / f"{NAME}.ipynb", "BEGIN SOLUTION", "BEGIN SOLUTION ")
    assert "edited by hand" in (release.stale_solution(mine, NAME) or "")


@pytest.mark.parametrize(
    ("old", "kept"), [("Two functions", True), ("Return how many", True), ("numbers > 0", False)]
)
def test_outputs_stay_where_only_text_changed(
    mine: Path, source: Path, monkeypatch: pytest.MonkeyPatch, old: str, kept: bool
) -> None:
    """New text appears in the solutions without a run; new code has to run."""
    edit(source, old, f"{old} ")
    before = release.read(mine / "solutions" / NAME / f"{NAME}.ipynb")
    monkeypatch.setattr(release, "_execute", lambda *_: 1 / 0)
    if not kept:
        with pytest.raises(ZeroDivisionError):
            release.write_solution(mine, NAME)
        return
    after = release.read(release.write_solution(mine, NAME))
    assert release.stale_solution(mine, NAME) is None
    assert [c.get("outputs") for c in after.cells] == [c.get("outputs") for c in before.cells]
    with pytest.raises(ZeroDivisionError):  # nothing changed, so somebody wants a new run
        release.write_solution(mine, NAME)


def test_files_without_a_source_are_noticed(mine: Path) -> None:
    """A stray file in release/ would reach students."""
    (mine / "release" / NAME / "staff_notes.md").write_text("x")
    assert "has no source" in (release.stale_release(mine, NAME) or "")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("### END SOLUTION", "### END SOLUTON"),
        ("### BEGIN SOLUTION", "### BEGIN"),
        ("### END SOLUTION", "### BEGIN SOLUTION"),
    ],
)
def test_a_solution_that_does_not_end_is_one_line(
    mine: Path, source: Path, old: str, new: str
) -> None:
    """The line names the cell and the mismatch."""
    edit(source, old, new, 1)
    with pytest.raises(HomeworkError, match=r"cell 'count\w*': a `### BEGIN SOLUTION`"):
        release.release_files(mine, NAME)


def test_no_environment_of_students_has_the_kit(course: Path) -> None:
    """Students install libraries, not the grader."""
    for name in ("requirements.txt", "environment.yml"):
        text = (course / "release" / name).read_text()
        assert "autograder" not in text
        assert "nbgrader" not in text


def test_a_link_to_a_missing_file_is_refused(mine: Path) -> None:
    """Students would lack the file."""
    data = mine / "source" / NAME / "data"
    data.mkdir(exist_ok=True)
    (data / "big.csv").symlink_to("/nowhere/big.csv")
    with pytest.raises(HomeworkError, match=r"data/big\.csv is a link to a file that is missing"):
        release.release_files(mine, NAME)


@pytest.mark.parametrize(
    ("role", "kind", "words"),
    [
        ("Staff", "markdown", "has the role 'Staff'; use 'demo' or 'staff'"),
        ("staff", "code", "is for staff, so it must be text"),
    ],
)
def test_a_role_that_is_none_is_refused(
    mine: Path, source: Path, role: str, kind: str, words: str
) -> None:
    """A typo must not publish cells meant for staff."""
    notebook = nbformat.read(source, as_version=4)
    new = {"markdown": nbformat.v4.new_markdown_cell, "code": nbformat.v4.new_code_cell}[kind]
    notebook.cells.append(new("for markers", metadata={"autograder": {"role": role}}))
    nbformat.write(notebook, source)
    with pytest.raises(HomeworkError, match=words):
        release.release_files(mine, NAME)


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("def plain(text):\n    return text", "plain"),
        ("class Refused:\n    pass", "Refused"),
        ("number = 3", "number"),
        ("import math as check", "check"),
        ("for named in [1]:\n    print(named)", "named"),
        ("%timeit 1\nseveral, b = 1, 2", "several"),
        ("def total(number, plain):\n    check = number\n    return [said for said in plain]", ""),
        ("numbers, _array = [1], 2", ""),
    ],
)
def test_a_name_of_the_kit_is_refused(mine: Path, source: Path, line: str, name: str) -> None:
    """A check would call the kit's function instead of the answer."""
    notebook = release.read(source)
    notebook.cells.append(nbformat.v4.new_code_cell(line, id="of_mine"))
    nbformat.write(notebook, source)
    said = f"cell 'of_mine': `{name}` is a name of the kit; choose a different one$"
    with pytest.raises(HomeworkError, match=said) if name else contextlib.nullcontext():
        release.refresh(mine, NAME)
        release.release_files(mine, NAME)
