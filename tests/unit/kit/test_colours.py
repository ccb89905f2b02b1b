"""One colour for one meaning: figures use colours as listed in `colours.toml`."""

import ast
import re
import tomllib
from pathlib import Path

import pytest

from autograder.course import homework
from autograder.kit.notebook.style import COLOURS
from tests.helpers import ROOT

LISTED = tomllib.loads(Path(__file__).with_name("colours.toml").read_text(encoding="utf-8"))
OWN_COLOUR = re.compile(r"#(?!(..)\1\1)[0-9a-fA-F]{6}|C\d|tab:\w+")
"""No grey."""
NAMED = {"red", "green", "blue", "orange", "purple", "brown", "pink", "grey", "gray", "olive", "cyan"}  # fmt: skip


def figures(name: str) -> dict[str, str]:
    """Return the cells that draw in colour, by id."""
    cells = homework.read_cells(ROOT / "source" / name / f"{name}.ipynb")
    drawing = re.compile(r"\b(COLOURS|pyplot|plt|axis)\b")
    return {
        cell.id: cell.source
        for cell in cells
        if cell.type == "code" and cell.id != "style_tool" and drawing.search(cell.source)
    }


def texts(source: str) -> set[str]:
    """Return the whole strings of a cell's code."""
    nodes = ast.walk(ast.parse(source))
    return {n.value for n in nodes if isinstance(n, ast.Constant) and isinstance(n.value, str)}


@pytest.mark.parametrize("name", homework.names(ROOT))
def test_a_colour_is_used_for_what_is_listed(name: str) -> None:
    """The test works both ways, so that each new figure needs a choice of meanings."""
    used = {
        (colour, cell)
        for cell, source in figures(name).items()
        if "COLOURS" in source
        for colour in COLOURS.keys() & texts(source)
    }
    listed = {(colour, cell) for colour in COLOURS for cell in LISTED[colour].get(name, {})}
    assert used == listed


@pytest.mark.parametrize("name", homework.names(ROOT))
def test_no_figure_has_a_colour_of_its_own(name: str) -> None:
    for cell, source in figures(name).items():
        own = {text for text in texts(source) if OWN_COLOUR.fullmatch(text) or text in NAMED}
        assert not own, (cell, own)


def test_each_meaning_is_a_different_one() -> None:
    assert COLOURS.keys() == LISTED.keys()
    assert len({LISTED[colour]["means"] for colour in COLOURS}) == len(COLOURS)
