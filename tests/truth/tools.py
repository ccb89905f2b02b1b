"""Edits that touch every cell: what tools lose, repeat or put in when they save a notebook."""

import re
from collections.abc import Callable

from tests.truth.cells import Generator, choose, edit, set_text
from tests.truth.exports import STAMP, Cell, Notebook, text


def _with_ids(notebook: Notebook) -> list[Cell]:
    return [cell for cell in notebook["cells"] if "id" in cell]


def _change_grade_ids(notebook: Notebook, change: Callable[[str], str]) -> None:
    for cell in notebook["cells"]:
        marks = cell["metadata"].get("nbgrader")
        if marks:
            marks["grade_id"] = change(marks["grade_id"])


@edit
def lose_all_metadata(notebook: Notebook, rng: Generator) -> None:
    """Strip the metadata of all cells."""
    for cell in notebook["cells"]:
        cell["metadata"] = {}


@edit
def lose_nbgraders_metadata(notebook: Notebook, rng: Generator) -> None:
    """Strip nbgrader's metadata of all cells."""
    for cell in notebook["cells"]:
        cell["metadata"].pop("nbgrader", None)


@edit
def lose_all_ids(notebook: Notebook, rng: Generator) -> None:
    """Strip all ids, in a format that has none."""
    notebook["nbformat_minor"] = choose(rng, (0, 2, 4))
    for cell in notebook["cells"]:
        cell.pop("id", None)


@edit
def lose_all_outputs(notebook: Notebook, rng: Generator) -> None:
    """Strip all outputs and counts, their keys as well."""
    for cell in notebook["cells"]:
        for key in ("outputs", "execution_count"):
            cell.pop(key, None)


@edit
def lose_the_kernel(notebook: Notebook, rng: Generator) -> None:
    """Strip the notebook's own metadata: no kernel, no language."""
    notebook["metadata"] = {}


@edit
def repeat_an_id(notebook: Notebook, rng: Generator) -> None:
    """Give several cells the id of another, as tools do that copy them."""
    id = choose(rng, _with_ids(notebook))["id"]
    for _ in range(int(rng.integers(1, 10))):
        choose(rng, _with_ids(notebook))["id"] = id


@edit
def swap_two_ids(notebook: Notebook, rng: Generator) -> None:
    """Swap the ids of two cells."""
    one, other = choose(rng, _with_ids(notebook)), choose(rng, _with_ids(notebook))
    one["id"], other["id"] = other["id"], one["id"]


@edit
def draw_new_ids(notebook: Notebook, rng: Generator) -> None:
    """Give every cell a new id."""
    notebook["nbformat_minor"] = 5
    for cell in notebook["cells"]:
        cell["id"] = rng.bytes(4).hex()


@edit
def put_a_suffix_on_grade_ids(notebook: Notebook, rng: Generator) -> None:
    """Put a suffix on every grade_id, as tools do that want each only once."""
    suffix = choose(rng, ("-copy1", "_1", " (2)"))
    _change_grade_ids(notebook, lambda id: id + suffix)


@edit
def write_grade_ids_in_capitals(notebook: Notebook, rng: Generator) -> None:
    """Write every grade_id in capitals."""
    _change_grade_ids(notebook, str.upper)


@edit
def run_all_cells(notebook: Notebook, rng: Generator) -> None:
    """Run every cell, which leaves counts and outputs, some of them errors."""
    error = {"output_type": "error", "ename": "NameError", "evalue": "", "traceback": []}
    stream = {"output_type": "stream", "name": "stdout", "text": ["passed\n"]}
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    for count, cell in enumerate(code, 1):
        outputs = choose(rng, ([], [dict(stream)], [dict(error)]))
        cell |= {"execution_count": count, "outputs": list(outputs)}


@edit
def put_metadata_in(notebook: Notebook, rng: Generator) -> None:
    """Put into every cell what extensions note there: tags, folds, slides."""
    for cell in notebook["cells"]:
        cell["metadata"] |= {"tags": ["mine"], "collapsed": True, "slideshow": {"slide_type": "-"}}


@edit
def sources_as_strings(notebook: Notebook, rng: Generator) -> None:
    """Write each source as one string."""
    for cell in notebook["cells"]:
        cell["source"] = text(cell)


@edit
def sources_in_pieces(notebook: Notebook, rng: Generator) -> None:
    """Write each source as a list whose items are not always lines."""
    for cell in notebook["cells"]:
        cut = int(rng.integers(len(text(cell)) + 1))
        cell["source"] = [text(cell)[:cut], text(cell)[cut:]]


@edit
def newline_at_each_end(notebook: Notebook, rng: Generator) -> None:
    """End every source with a newline."""
    for cell in notebook["cells"]:
        set_text(cell, text(cell) + "\n")


@edit
def windows_line_ends(notebook: Notebook, rng: Generator) -> None:
    r"""Write every source with \r\n."""
    for cell in notebook["cells"]:
        set_text(cell, text(cell).replace("\r", "").replace("\n", "\r\n"))


@edit
def non_breaking_spaces(notebook: Notebook, rng: Generator) -> None:
    """Write some blanks of texts as non-breaking spaces, as word processors do."""
    for cell in notebook["cells"]:
        if cell["cell_type"] == "markdown" and "text" not in cell[STAMP]["hurdles"]:
            set_text(cell, re.sub(r"(\w) (?=\w)", "\\1\u00a0", text(cell), count=3))
