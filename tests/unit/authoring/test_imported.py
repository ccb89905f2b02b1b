"""Anything that other tools write into a notebook is understood or named; nothing is half-done."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbformat import v4

from autograder.authoring import new, release
from autograder.authoring.contract import rules
from autograder.authoring.imports import foreign, imported
from autograder.authoring.leaks.search import Leak
from autograder.course import homework
from autograder.records.errors import UserError

Row = tuple[str, str, dict[str, Any]]


def marks(id: str, **more: Any) -> dict[str, Any]:
    """Return a cell's metadata."""
    kinds = dict.fromkeys(("grade", "solution", "locked", "task"), False)
    return {"nbgrader": {**kinds, "grade_id": id, "schema_version": 3, **more}}


ANSWER: Row = (
    "code",
    "def f(x):\n    # BEGIN SOLUTION\n    return 2 * x\n    # END SOLUTION",
    marks("f", solution=True),
)
TEST: Row = ("code", "assert f(2) == 4", marks("t", grade=True, locked=True, points=1))


def saved(path: Path, *rows: Row, **metadata: Any) -> Path:
    """Write a notebook whose cells have no ids; a row is a kind, a text and metadata."""
    made = v4.new_notebook(metadata=metadata)
    for kind, source, own in rows:
        cell = v4.new_code_cell(source) if kind == "code" else v4.new_markdown_cell(source)
        cell.metadata.update(own)
        made.cells.append(cell)
    nodes = json.loads(nbformat.writes(made))
    for cell in nodes["cells"]:
        del cell["id"]
    path.write_text(json.dumps({**nodes, "nbformat_minor": 4}))
    return path


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a course in which nothing runs."""
    root = tmp_path / "course"
    new.new_course(root, "A course")
    monkeypatch.setattr(rules, "leaks", lambda *_, **__: ([], ""))
    monkeypatch.setattr(release, "write_solution", lambda *_: 1 / 0)
    return root.resolve()


def released(course: Path, name: str = "hw") -> list[Any]:
    """Return the cells that students get."""
    cells: list[Any] = json.loads((course / "release" / name / f"{name}.ipynb").read_text())[
        "cells"
    ]
    return cells


def notes_of(course: Path, path: Path) -> str:
    """Import a notebook as hw, and return the notes for its author."""
    (one,) = imported.import_notebooks(course, [path], "hw")
    assert isinstance(one, imported.Imported)
    return "\n".join(one.notes)


@pytest.mark.parametrize(
    ("ids", "said", "wanted"),
    [
        (("my f", "test f 1"), "'my f' is my_f, 'test f 1' is test_f_1", ["my_f", "test_f_1"]),
        (("a b", "a_b"), "'a b' is a_b_2", ["a_b_2", "a_b"]),
        (("Übung 1", "q/1.a"), "'Übung 1' is Ubung_1, 'q/1.a' is q_1_a", ["Ubung_1", "q_1_a"]),
        (("課題", "?"), "'課題' is question, '?' is question_2", ["question", "question_2"]),
    ],
)
def test_a_grade_id_of_any_signs_is_taken_under_another(
    course: Path, ids: Sequence[str], said: str, wanted: Sequence[str]
) -> None:
    """CoCalc lets authors write anything; no two ids become the same."""
    rows = [(*row[:2], {"nbgrader": {**row[2]["nbgrader"]}}) for row in (ANSWER, TEST)]
    for row, id in zip(rows, ids, strict=True):
        row[2]["nbgrader"]["grade_id"] = id
    assert said in notes_of(course, saved(course / "a.ipynb", *rows))
    found = [c["metadata"]["nbgrader"]["grade_id"] for c in released(course) if c["metadata"]]
    assert found == wanted


def test_a_cell_that_cocalc_takes_out_is_for_staff(course: Path) -> None:
    """It may be text or code, with any marks; the solutions keep it."""
    gone = marks("gone", remove=True)["nbgrader"]
    path = saved(
        course / "a.ipynb",
        ("text", "The trick is doubling.", {"nbgrader": gone}),
        ("code", "secret = 1", {"nbgrader": gone | {"grade_id": "c"}}),
        ANSWER,
        TEST,
        ("code", "assert f(7) == 14", marks("u", grade=True, locked=True, points=3, remove=True)),
    )
    said = notes_of(course, path)
    assert "cell 1 (gone), cell 2 (c), cell 5 (u), which was graded" in said
    assert [cell["cell_type"] for cell in released(course)] == ["code", "code"]
    source = (course / "source" / "hw" / "hw.ipynb").read_text()
    assert "The trick" in source
    assert "```python\\nsecret = 1\\n```" in source


def test_unknown_metadata_is_named_once_and_left_out(course: Path) -> None:
    """It may contain answers, like e2xgrader's."""
    path = saved(
        course / "a.ipynb",
        ("text", "A", {"extended_cell": {"choice": ["1"]}, "scrolled": True}),
        ("text", "B", {"extended_cell": {"choice": ["2"]}, "tags": ["solution"]}),
        (*ANSWER[:2], marks("f", solution=True, hint="twice")),
        TEST,
        otter={"tests": 1},
    )
    notebook, (note,) = foreign.read(path)
    for said in (
        "`otter` (the notebook)",
        "`extended_cell` (cell 1, cell 2)",
        "`nbgrader.hint` (cell 3 (f))",
        "the tag `solution` (cell 2)",
    ):
        assert said in note
    assert "scrolled" not in note
    assert not notebook.cells[0].metadata


PICTURE = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC"
)


def test_a_picture_of_the_solution_stays(course: Path) -> None:
    """The question's own picture in the same cell goes out."""
    text = "![q](attachment:q.png)\n### BEGIN SOLUTION\n![s](attachment:s.png)\n### END SOLUTION"
    path = saved(
        course / "a.ipynb",
        ANSWER,
        TEST,
        ("text", text, marks("w", grade=True, solution=True, points=1)),
    )
    nodes = json.loads(path.read_text())
    nodes["cells"][2]["attachments"] = {n: {"image/png": PICTURE} for n in ("q.png", "s.png")}
    path.write_text(json.dumps(nodes))
    notes_of(course, path)
    assert released(course)[2]["attachments"].keys() == {"q.png"}


def test_what_the_author_shows_as_well_is_given_away_and_named(course: Path) -> None:
    """The text above contains a line of the solution."""
    line = "table = read_table('numbers.csv', separator=';')"
    answer = f"### BEGIN SOLUTION\n{line}\n### END SOLUTION"
    path = saved(
        course / "a.ipynb", ("text", f"Write {line}", {}), (*ANSWER[:1], answer, ANSWER[2]), TEST
    )
    assert "`allowed_leaks` in source/hw/staff/spec.py lists it: cell" in notes_of(course, path)
    assert f"Write {line}" in (course / "source/hw/staff/spec.py").read_text()


def test_points_get_two_decimals_and_keep_their_sum(course: Path) -> None:
    """More are nothing that a mark could reach; a note names what changed."""
    worth = {"one": 0.333, "two": 0.333, "three": 0.334, "four": 2}
    tests = [
        ("code", "assert f(2) == 4", marks(id, grade=True, locked=True, points=points))
        for id, points in worth.items()
    ]
    said = notes_of(course, saved(course / "a.ipynb", ANSWER, *tests))
    assert (
        "marks have at most two decimals, so these points changed: one from 0.333 to 0.33, "
        "two from 0.333 to 0.34, three from 0.334 to 0.33"
    ) in said
    found = homework.load(course, "hw").questions
    assert [one.points for one in found] == [0.33, 0.34, 0.33, 2]


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([(*ANSWER[:1], "def f(x):\n### BEGIN SOLUTION\n    return 1\n### END SOLUTION", ANSWER[2]), TEST], "Python cannot read the students' version"),
        ([(*ANSWER[:1], "x = [\n### BEGIN SOLUTION\n1]\n### END SOLUTION", ANSWER[2]), TEST], "Python cannot read the students' version"),
        ([(*ANSWER[:1], "class F:\n    ### BEGIN SOLUTION\n    def f(self):\n        return 1\n    ### END SOLUTION", ANSWER[2]), TEST], "take the whole body of the class F, so its cell raises; put them inside each method"),
        ([ANSWER, ("code", "if f(1):\n    ### BEGIN HIDDEN TESTS\n    assert f(2)\n    ### END HIDDEN TESTS", TEST[2])], "Python cannot read the students' version"),
        ([ANSWER, (*TEST[:2], marks("f", grade=True, locked=True, points=1))], "cell 2 (f) is there a second time"),
        ([ANSWER, TEST, ("code", "# BEGIN SOLUTION\nx = 1\n# END SOLUTION", {})], "is not an answer, so students would get it"),
        ([ANSWER, TEST, ("text", "a\n# BEGIN MARK SCHEME\nb\n# END MARK SCHEME", marks("l", locked=True))], "nbgrader prints: Mark scheme region"),
    ],
)  # fmt: skip
def test_a_failure_leaves_nothing_of_itself_and_stops_no_other(
    course: Path, rows: list[Row], said: str
) -> None:
    """A notebook of the same folder is imported, and one line says what is wrong with this one."""
    (course / "in").mkdir()
    saved(course / "in" / "a.ipynb", *rows)
    saved(course / "in" / "b.ipynb", ANSWER, TEST)
    left, one = imported.import_notebooks(course, [course / "in"])
    assert isinstance(left, imported.Left)
    assert left.is_fault
    assert said in left.said
    assert str(course / "in" / "a.ipynb") in left.said
    assert "source/" not in left.said
    assert "\n" not in left.said
    assert isinstance(one, imported.Imported)
    for folder in ("source", "release"):
        assert [path.name for path in (course / folder).iterdir()] == ["in_b"]


def test_a_notebook_of_a_folder_without_graded_cells_is_left_out(course: Path) -> None:
    """It is an introduction; alone, it is refused."""
    (course / "in").mkdir()
    intro = saved(course / "in" / "intro.ipynb", ("text", "# Read this first", {}))
    with pytest.raises(UserError, match="no cell is graded"):
        list(imported.import_notebooks(course, [course / "in"]))
    saved(course / "in" / "p1.ipynb", ANSWER, TEST)
    left, one = imported.import_notebooks(course, [course / "in"])
    assert left == imported.Left(f"{intro} has no graded cell, so it is not a homework", False)
    assert isinstance(one, imported.Imported)


@pytest.mark.parametrize(
    ("answer", "test"),
    [
        (ANSWER[1], "def check(candidate):\n    assert candidate(1) == 2\n\ncheck(f)"),
        (ANSWER[1].replace("def f", "def check"), "assert check(1) == 2"),
    ],
)
def test_tests_and_answers_may_have_a_check_of_their_own(
    course: Path, answer: str, test: str
) -> None:
    """The kit's `check` is for visible checks from spec.py; these stay as they are."""
    path = saved(course / "a.ipynb", (*ANSWER[:1], answer, ANSWER[2]), (*TEST[:1], test, TEST[2]))
    notes_of(course, path)
    _, second = released(course)
    assert "".join(second["source"]) == test


def test_a_link_to_a_missing_file_is_left_out(course: Path) -> None:
    """Its file may be on a drive, or in git-annex."""
    data = course / "data"
    data.mkdir()
    (data / "big.csv").symlink_to("/nowhere/big.csv")
    (data / "small.csv").write_text("1\n")
    said = notes_of(course, saved(course / "a.ipynb", ANSWER, TEST))
    assert f"links in {data} to files that are missing were left out: big.csv" in said
    assert (course / "release" / "hw" / "data" / "small.csv").is_file()


@pytest.mark.parametrize(
    ("metadata", "language"),
    [
        ({"kernelspec": {"name": "ir", "display_name": "R"}, "language_info": {"name": "R"}}, "R"),
        ({"kernelspec": {"name": "julia-1.9", "display_name": "Julia"}}, "julia"),
        ({"kernelspec": {"name": "my_own", "display_name": "Mine"}}, "python"),
        ({}, "python"),
    ],
)
def test_the_language_is_found_where_any_editor_writes_it(
    tmp_path: Path, metadata: dict[str, Any], language: str
) -> None:
    """Colab and old versions of Jupyter leave it out of the kernel's description."""
    path = saved(tmp_path / "a.ipynb", ANSWER, TEST, **metadata)
    assert foreign.language(foreign.read(path)[0]) == language


def test_cells_are_counted_as_their_author_counts_them(course: Path) -> None:
    """Neither header.ipynb nor the answer made of a task moves a cell's number."""
    (course / "in").mkdir()
    saved(course / "header.ipynb", ("text", "# Name", {}), ("text", "Mine", {}))
    task: Row = ("text", "Do it.", marks("k", task=True, points=2))
    test = (*TEST[:2], marks("t", grade=True, locked=True))
    path = saved(course / "in" / "a.ipynb", task, ANSWER, test)
    with pytest.raises(UserError) as raised:
        notes_of(course, path)
    assert str(raised.value).startswith(f"{path}: cell 3 (t) has the points None")


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("### BEGIN HIDDEN TESTS\nassert f(3) == 6", "a `### BEGIN HIDDEN TESTS` and its"),
        ("assert f(3) == 6\n### END HIDDEN TESTS", "do not match"),
        ("### BEGIN HIDDEN TEST\nassert f(3)\n### END HIDDEN TESTS", "BEGIN HIDDEN TEST` is not a"),
        ("# begin hidden tests\nassert f(3)\n# end hidden tests", "begin hidden tests` is not a"),
    ],
)
def test_markers_of_hidden_tests_match(course: Path, source: str, said: str) -> None:
    """Students would get the tests; the line names the author's file and cell."""
    path = saved(course / "a.ipynb", ANSWER, (*TEST[:1], source, TEST[2]))
    with pytest.raises(UserError) as raised:
        notes_of(course, path)
    assert str(raised.value).startswith(f"{path}: cell 2 (t): ")
    assert said in str(raised.value)


def test_markers_of_one_s_own_are_refused(course: Path) -> None:
    """nbgrader_config.py may set them; with nbgrader's usual ones there, nothing is said."""
    (course / "source" / "ps").mkdir(parents=True)
    config = course / "nbgrader_config.py"
    config.write_text(
        'c = get_config()\nc.ClearHiddenTests.begin_test_delimeter = ">>> secret"\n'
        "c.ClearSolutions.begin_solution_delimeter = '# BEGIN SOLUTION'\n"
    )
    test = "assert f(1) == 2\n# >>> secret\nassert f(7) == 14\n# <<< secret"
    path = saved(course / "source" / "ps" / "a.ipynb", ANSWER, (*TEST[:1], test, TEST[2]))
    with pytest.raises(UserError) as raised:
        notes_of(course, path)
    assert str(raised.value) == (
        f"{path}: cell 2 (t) has `>>> secret`, a marker that {config} sets but import does not "
        "read; write `### BEGIN HIDDEN TESTS`"
    )
    notes_of(course, saved(path, ANSWER, TEST))


def test_a_path_to_nothing_is_told(course: Path) -> None:
    """It is a typo, rather than a file of another kind."""
    with pytest.raises(UserError, match=r"there is no .*ps2\.ipynb"):
        notes_of(course, course / "ps2.ipynb")


def test_a_module_that_a_cell_writes_is_there(course: Path) -> None:
    """It is no package to install."""
    writes: Row = ("code", "%%writefile mine.py\nY = 1", {})
    test = (*TEST[:1], "import mine\nimport yours\nassert f(mine.Y) == 2", TEST[2])
    said = notes_of(course, saved(course / "a.ipynb", writes, ANSWER, test))
    assert "it imports yours, which is not installed" in said
    assert homework.imported(course, "hw").keys() == {"autograder", "yours"}


def test_the_old_form_of_otter_is_named(course: Path) -> None:
    """It has no raw cells, so nothing of it would be graded."""
    old: Row = ("text", "Q1\n\n```\nBEGIN QUESTION\nname: q1\n```", {})
    path = saved(course / "a.ipynb", old, ("code", "x = 1 # SOLUTION", {}))
    with pytest.raises(UserError, match="cell 1 is in the form of otter 0 to 3"):
        notes_of(course, path)


def test_a_leak_refuses_the_import(course: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It follows the rule of `release`, with the leak and its place."""
    leak = Leak("release/hw/data/a.txt", "the answer")
    monkeypatch.setattr(rules, "leaks", lambda *_, **__: ([leak], ""))
    path = saved(course / "a.ipynb", ANSWER, TEST)
    with pytest.raises(
        UserError, match=r"would get secrets; take them out: release/hw/data/a.txt: the an"
    ):
        notes_of(course, path)
    assert not (course / "source" / "hw").exists()


def test_a_failed_import_leaves_an_earlier_release(
    course: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It removes only what it made."""
    earlier = course / "release" / "hw" / "data.csv"
    earlier.parent.mkdir(parents=True)
    earlier.write_text("1")
    monkeypatch.setattr(rules, "leaks", lambda *_, **__: ([Leak("hw.ipynb", "a line")], ""))
    with pytest.raises(UserError, match="students would get secrets"):
        notes_of(course, saved(course / "a.ipynb", ANSWER, TEST))
    assert earlier.exists()
    assert not (course / "source" / "hw").exists()
