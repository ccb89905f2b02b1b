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
def test_a_failure_leaves_nothing_of_any(course: Path, rows: list[Row], said: str) -> None:
    """Neither this notebook nor the one imported with it leaves anything."""
    (course / "in").mkdir()
    saved(course / "in" / "a.ipynb", ANSWER, TEST)
    saved(course / "in" / "b.ipynb", *rows)
    with pytest.raises(UserError) as raised:
        list(imported.import_notebooks(course, [course / "in"]))
    assert said in str(raised.value)
    assert "\n" not in str(raised.value)
    for folder in ("source", "release"):
        place = course / folder
        assert not place.exists() or list(place.iterdir()) == []


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
