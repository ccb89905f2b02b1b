"""The cells that were run -> executed.ipynb, for people to look at."""

from collections.abc import Sequence

import nbformat
from nbformat import v4

from autograder.facts.align import Step

NOT_RUN = "Not run by the grader: the outputs below are those that were handed in.\n"
_VISIBLE = ("text/plain", "image/png")


def notebook(steps: Sequence[Step]) -> str:
    """Return a notebook's JSON with the outputs the cells had here.

    Only plain text and PNG images are kept of an output: this file is opened
    by staff, and what students draw into it must stay inert.
    """
    cells = []
    for number, step in enumerate(steps):
        if step.cell.type == "code":
            cell = v4.new_code_cell(step.cell.source)
            cell.outputs = [_inert(output) for output in step.cell.outputs]
            if not step.runs:
                cell.outputs.insert(0, v4.new_output("stream", name="stderr", text=NOT_RUN))
        elif step.cell.type == "markdown":
            cell = v4.new_markdown_cell(step.cell.source)
        else:
            cell = v4.new_raw_cell(step.cell.source)
        cell.id = f"cell-{number}"
        cells.append(cell)
    text: str = nbformat.writes(v4.new_notebook(cells=cells))
    return text + "\n"


def _inert(output: object) -> nbformat.NotebookNode:
    """Return an output without anything that a browser would run."""
    fields = output if isinstance(output, dict) else {}
    match fields.get("output_type"):
        case "stream":
            name = "stderr" if fields.get("name") == "stderr" else "stdout"
            return v4.new_output("stream", name=name, text=_text(fields.get("text")))
        case "error":
            lines = fields.get("traceback")
            trace = [str(line) for line in lines] if isinstance(lines, list) else []
            return v4.new_output(
                "error",
                ename=str(fields.get("ename")),
                evalue=str(fields.get("evalue")),
                traceback=trace,
            )
    data = fields.get("data")
    kept = {k: _text(v) for k, v in data.items() if k in _VISIBLE} if isinstance(data, dict) else {}
    return v4.new_output("display_data", data=kept)


def _text(value: object) -> str:
    return "".join(map(str, value)) if isinstance(value, list) else str(value)
