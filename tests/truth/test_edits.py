"""The edits that tests/truth tries alignment with: they run, change something, and lose no answer."""

import ast
import copy
import json
import re

import numpy as np
import pytest

from autograder.course import homework
from tests.helpers import ROOT
from tests.truth.cells import Edit, role_of
from tests.truth.edits import EDITS, right_notebook, sequence
from tests.truth.exports import EXPORTS, Export, Notebook, as_it_is, plain, text

# 661 short tests: a minute of one core.
pytestmark = [pytest.mark.slow, pytest.mark.turns(8)]

HOMEWORKS = [name for name in homework.names(ROOT) if (ROOT / "release" / name).is_dir()]


def released(name: str) -> Notebook:
    path = ROOT / "release" / name / f"{name}.ipynb"
    notebook: Notebook = json.loads(path.read_text(encoding="utf-8"))
    return notebook


@pytest.fixture(scope="module", params=HOMEWORKS)
def notebooks(request: pytest.FixtureRequest) -> tuple[Notebook, Notebook]:
    """A right notebook and the release."""
    return right_notebook(ROOT, request.param), released(request.param)


def answers(right: Notebook) -> list[list[str]]:
    """Return what has to be found again: each answer's lines without quotes, each written text."""
    code = [text(cell) for cell in right["cells"] if role_of(cell) == "answer"]
    lines = [[line.strip() for line in source.split("\n")] for source in code]
    kept = [
        [line for line in source if line and not re.search(r"[\"'\\]", line)] for source in lines
    ]
    written = [text(cell) for cell in right["cells"] if role_of(cell) == "written"]
    return kept + [re.split(r"(?<=\.) ", source) for source in written]


def words(suffix: str, data: bytes) -> str:
    """Return the sources of all cells, as a person sees them."""
    found = data.decode("utf-8-sig")
    if suffix == ".ipynb":
        notebook = json.loads(found)
        sheets = notebook.get("worksheets", [notebook])
        cells = [cell for sheet in sheets for cell in sheet["cells"]]
        found = "\n".join(text({"source": c.get("source", c.get("input", ""))}) for c in cells)
    return found.replace("\u00a0", " ")


def lost(right: Notebook, suffix: str, data: bytes) -> list[str]:
    """Return the first line of each answer whose lines do not all stand there in their order."""
    found = words(suffix, data)
    missing = []
    for lines in answers(right):
        place = 0
        for line in lines:
            place = found.find(line, place) + len(line)
            if place < len(line):
                missing.append(line)
                break
    return missing


def test_the_right_notebook_is_the_release_with_answers(
    notebooks: tuple[Notebook, Notebook],
) -> None:
    """Only the cells to be written differ; code parses and holds no marker, texts are all different."""
    right, release = notebooks
    written = []
    for cell, given in zip(right["cells"], release["cells"], strict=True):
        role = role_of(given)
        assert (cell != given) == (role in ("answer", "written")), given["id"]
        assert {**cell, "source": given["source"]} == given
        if role == "answer":
            assert ast.parse(text(cell)).body
            assert "### " not in text(cell)
            assert "NotImplementedError" not in text(cell)
        elif role == "written":
            written.append(text(cell))
    assert len(set(written)) == len(written)


@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: edit.__name__)
def test_an_edit_changes_the_notebook_and_loses_no_answer(
    edit: Edit, notebooks: tuple[Notebook, Notebook]
) -> None:
    """It says what it does, leaves what it was given alone, and does the same for the same seed."""
    right, release = notebooks
    before = copy.deepcopy(right)
    changes = 0
    for seed in range(5):
        edited = edit(right, np.random.default_rng(seed), release)
        assert right == before
        assert edited == edit(right, np.random.default_rng(seed), release)
        suffix, data = as_it_is(edited)
        assert lost(right, suffix, data) == []
        changes += data != as_it_is(right)[1]
    assert changes
    assert edit.__doc__
    assert edit.__doc__.count("\n") == 0
    assert edit.__doc__.endswith(".")


@pytest.mark.parametrize("export", EXPORTS, ids=lambda export: export.__name__)
def test_an_export_loses_no_answer(export: Export, notebooks: tuple[Notebook, Notebook]) -> None:
    """It writes something of its own, and the same for the same notebook."""
    right, _ = notebooks
    before = copy.deepcopy(right)
    suffix, data = export(right)
    assert right == before
    assert (suffix, data) == export(right)
    assert lost(right, suffix, data) == []
    assert (data == as_it_is(right)[1]) == (export is as_it_is)
    assert b'"stamp"' not in data


def test_names_are_told_apart() -> None:
    """A report of what was done names each edit and export without doubt."""
    names = [step.__name__ for step in (*EDITS, *EXPORTS)]
    assert len(set(names)) == len(names)


def test_sequences_lose_no_answer(notebooks: tuple[Notebook, Notebook]) -> None:
    """100 sequences: 1 to 5 edits and an export, the same for the same seed, never the right notebook."""
    right, release = notebooks
    untouched = plain(right)
    seen = set()
    for seed in range(100):
        names, suffix, data = sequence(right, release, np.random.default_rng(seed))
        assert 2 <= len(names) <= 6
        assert suffix in (".ipynb", ".py")
        assert data != as_it_is(right)[1], names
        assert lost(right, suffix, data) == [], names
        if seed % 10 == 0:
            again = sequence(right, release, np.random.default_rng(seed))
            assert again == (names, suffix, data)
        seen |= {*names}
    assert right == untouched
    assert len(seen) > 90
