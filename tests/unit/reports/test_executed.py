"""executed.ipynb: staff can open it, and see what ran and what was left out."""

import json

import nbformat

from autograder.program.build import Step
from autograder.records.homework import Cell
from autograder.reports import executed
from tests.helpers import picture

OUTPUTS = (
    {"output_type": "stream", "name": "stdout", "text": "hello\n"},
    {
        "output_type": "display_data",
        "data": {
            "text/html": "<script>alert(1)</script>",
            "application/javascript": "alert(1)",
            "image/svg+xml": "<svg onload='alert(1)'/>",
            "text/plain": "a figure",
            "image/png": picture(),
        },
        "metadata": {},
    },
    {"output_type": "error", "ename": "E", "evalue": "v", "traceback": ["line"]},
    {"output_type": "nonsense"},
    {"output_type": "stream", "text": ["a", "b"]},
)


def test_only_text_and_png_survive() -> None:
    """HTML, JavaScript and SVG are dropped and listed; odd outputs do no harm."""
    cell = Cell(id="a", type="code", source="1", outputs=OUTPUTS)
    steps = [Step(cell, "the cell 'a'", True), Step(Cell("b", "markdown", "text"), "b", False)]
    text = executed.notebook([*steps, Step(Cell("c", "raw", "text"), "c", False)])
    nbformat.validate(nbformat.reads(text, as_version=4))
    notebook = json.loads(text)
    assert "alert" not in json.dumps(notebook)
    outputs = notebook["cells"][0]["outputs"]
    assert outputs[0]["text"] == "hello\n"
    assert set(outputs[1]["data"]) == {"text/plain", "image/png"}
    assert outputs[2]["ename"] == "E"
    assert (
        outputs[-1]["text"] == "Left out here: application/javascript, image/svg+xml, text/html.\n"
    )


def test_cells_that_were_not_run_say_so() -> None:
    """A skipped cell keeps its submitted outputs, under a note."""
    cell = Cell(id="a", type="code", source="1", outputs=OUTPUTS[:1])
    notebook = json.loads(executed.notebook([Step(cell, "the cell 'a'", False)]))
    first, second = notebook["cells"][0]["outputs"]
    assert first["text"] == executed.NOT_RUN
    assert second["text"] == "hello\n"
