"""Files that are not notebooks, or odd ones: broken, nested, huge, or in other encodings."""

import json
from pathlib import Path
from typing import Any

from tests.redteam.attack import Notebook, cell, changes, new_cell, right, write, writes

SAYS_WHY = "nothing, and one line that says why"
RIGHT = "everything: the answers are right"


def written(folder: Path, content: str, name: str = "submission.ipynb") -> Path:
    """Write a file, and return where."""
    (folder / name).write_text(content)
    return folder / name


@writes(SAYS_WHY)
def broken_json(folder: Path) -> Path:
    """Is cut off in the middle."""
    path = write(right(), folder)
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    return path


@writes(RIGHT)
def byte_order_mark(folder: Path) -> Path:
    """Begins with a byte order mark, as some editors write it."""
    path = write(right(), folder)
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    return path


@changes("wrong", "nothing, and no traceback")
def huge_points(notebook: Notebook) -> None:
    """Claims points of four hundred digits in its metadata."""
    for item in notebook["cells"]:
        item["metadata"]["nbgrader"] = {"grade": True, "points": 10**400}


@changes("right", "everything: nobody reads those")
def large_outputs(notebook: Notebook) -> None:
    """Is a notebook of 60 MB, nearly all of it stored outputs."""
    text = {"output_type": "stream", "name": "stdout", "text": "x" * 60_000_000}
    cell(notebook, "tokens_code")["outputs"] = [text]


@changes("right", "everything: the answers are right, and nobody parses those cells")
def long_cell(notebook: Notebook) -> None:
    """Has cells that take a parser minutes and gigabytes to read."""
    notebook["cells"].append(new_cell("a\n" * 400_000, id="a"))
    notebook["cells"].append(new_cell('f"' + "{1}" * 100_000 + '"', id="b"))
    notebook["cells"].append(new_cell("x" + "\n" * 900_000 + "x", "markdown", id="c"))


@changes("wrong", "nothing, and one line that says so")
def many_cells(notebook: Notebook) -> None:
    """Has 200,000 cells."""
    notebook["cells"] += [new_cell("", id=f"c{number}") for number in range(200_000)]


@writes("nothing, and one line that says so")
def many_marks(folder: Path) -> Path:
    """Is a script of 80,000 cells, which its readers may take minutes for."""
    return written(folder, "# %%\nx = 1\n" * 80_000, "submission.py")


@writes(SAYS_WHY)
def nested_bomb(folder: Path) -> Path:
    """Is nested a million levels deep."""
    return written(folder, '{"cells": ' + "[" * 1_000_000 + "]" * 1_000_000 + "}")


@writes(SAYS_WHY)
def not_a_notebook(folder: Path) -> Path:
    """Is a list, not a notebook."""
    return written(folder, '[{"score": 1000}]')


@changes("right", "everything: the right cells are among them")
def odd_cells(notebook: Notebook) -> None:
    """Has cells that are numbers, lists, without type or source, with huge and odd numbers."""
    marks = {"nbgrader": {"grade_id": {}, "points": "1"}}
    notebook["cells"] += [
        {},
        {"cell_type": 5, "source": 5, "metadata": 5, "id": 5, "outputs": 5},
        {"cell_type": "code", "source": [1, None, "x = 1"], "metadata": None, "outputs": [1, {}]},
        {"cell_type": "code", "source": None, "metadata": {"nbgrader": []}}
        | {"execution_count": 10**400},
        {"cell_type": "<b>", "source": "x", "metadata": marks},
    ]


SHOW = """\
deep = []
for _ in range(600):
    deep = [deep]
from IPython.display import display
display({"text/plain": "x"}, metadata={"deep": deep}, raw=True)
"""


@changes("right", RIGHT)
def odd_outputs(notebook: Notebook) -> None:
    """Has stored outputs, entities and images that make those who show them stumble."""
    notebook["cells"].append(new_cell(SHOW, id="last"))
    deep: Any = []
    for _ in range(600):
        deep = [deep]
    data = {"text/plain": deep, "image/png": "iVBORw0KGgo" + "A" * 1000, "text/html": 5}
    odd = {"output_type": "display_data", "data": data, "metadata": {"deep": deep}}
    for item in notebook["cells"]:
        if item["cell_type"] == "code":
            item["outputs"] = [odd, {"output_type": 5}, 7, {"output_type": "error", "traceback": 5}]
    notebook["cells"].append(new_cell("&#" + "1" * 5000 + ";", "markdown", id="a"))


@writes(SAYS_WHY)
def odd_script(folder: Path) -> Path:
    """Is a script whose header and cell marks are not what their readers expect."""
    header = "# ---\n# jupyter:\n#   kernelspec: 5\n#   jupytext: 5\n# ---\n"
    return written(folder, header + "# %% a=" + "1+" * 5000 + "1\nx = 1\n", "submission.py")


@changes("right", RIGHT)
def other_kernel(notebook: Notebook) -> None:
    """Says that it is written in Julia, for a kernel that nobody has, by a format of tomorrow."""
    notebook["metadata"] = {
        "kernelspec": {"name": "julia-1.9", "display_name": "<script>", "language": "julia"},
        "language_info": {"name": "julia", "version": []},
        "widgets": 5,
    }
    notebook["nbformat_minor"] = 999


@changes("right", RIGHT)
def surrogates(notebook: Notebook) -> None:
    """Has half surrogate pairs in sources, outputs, ids, errors and printed text."""
    half = json.loads('"\\ud83d"')
    for item in notebook["cells"]:
        item["metadata"]["half"] = half
    notebook["cells"].append(new_cell("print(chr(0xD83D)); raise ValueError(chr(0xD83D))", id="a"))
    notebook["cells"].append(new_cell(f"# {half}", "markdown", id="b"))
    notebook["cells"].append(new_cell(f"x = 1  # {half}", id="c"))


@writes("nothing, and one line that says how to save it")
def utf_16(folder: Path) -> Path:
    """Is written in UTF-16."""
    path = write(right(), folder)
    path.write_text(path.read_text(), encoding="utf-16")
    return path
