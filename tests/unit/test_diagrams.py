"""The diagrams: made by their command, shown by their notebooks, and described in words."""

import xml.etree.ElementTree as ElementTree

import nbformat
import pytest

from autograder.course import homework
from docs.pages import diagrams
from tests.helpers import ROOT

SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize("name", diagrams.DIAGRAMS)
def test_a_diagram_is_what_the_command_writes(name: str) -> None:
    """It has a title and a description, and all words are inside the picture."""
    text = diagrams.path(name).read_text(encoding="utf-8")
    assert text == diagrams.DIAGRAMS[name]().written()
    picture = ElementTree.fromstring(text)
    title, description = (picture.findtext(f"{SVG}{tag}") for tag in ("title", "desc"))
    assert title
    assert description
    assert len(description) > 100
    assert picture.get("aria-labelledby") == "title desc"
    _, _, width, height = map(float, picture.attrib["viewBox"].split())
    for words in picture.iter(f"{SVG}text"):
        assert 0 < float(words.attrib["x"]) < width
        assert 0 < float(words.attrib["y"]) < height


@pytest.mark.parametrize("name", diagrams.DIAGRAMS)
def test_its_notebook_shows_it(name: str) -> None:
    """It has a text for readers who cannot see it."""
    folder, _, file = name.partition("/")
    notebook = nbformat.read(ROOT / f"source/{folder}/{folder}.ipynb", as_version=4)
    place = f"](figures/{file}.svg)"
    (shown,) = [cell.source.split(place) for cell in notebook.cells if place in cell.source]
    assert len(shown) == 2
    assert len(shown[0].rpartition("![")[2]) > 60


@pytest.mark.parametrize("name", homework.names(ROOT))
def test_the_first_cell_shows_one(name: str) -> None:
    notebook = nbformat.read(ROOT / f"source/{name}/{name}.ipynb", as_version=4)
    assert "](figures/" in notebook.cells[0].source
