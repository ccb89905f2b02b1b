"""What edits are made of: stamps on cells, and ways to choose, change, double, split, merge, move.

A stamp says what a cell is, so that a later edit knows it when ids and metadata are gone:
    role     answer, written, check, demo, code or text; stub or own for what edits add
    part     the number of the heading that it stands under
    whole    whether it may be moved, doubled or deleted
    alone    whether it is the only copy of its answer, untouched but for comments
    tied     whether nothing may come between it and the next cell
    hurdles  what some exports make unreadable, see `hurdles`
    number   where it stands in the release
    stub     for answers, the cell as released
"""

import copy
import functools
import itertools
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from tests.truth.exports import STAMP, Cell, Notebook, text

Generator = np.random.Generator
Edit = Callable[[Notebook, Generator, Notebook], Notebook]
T = TypeVar("T")

OWN = {
    "role": "own",
    "part": 0,
    "number": 1_000_000,
    "whole": True,
    "alone": False,
    "tied": False,
    "hurdles": [],
}
CODE = ("code", "check", "demo")
PROVIDED = (*CODE, "text")
ANSWERS = ("answer", "written")

registered: list[Edit] = []


class NothingToDo(Exception):
    """The notebook has no cell that this edit is about."""


def edit(change: Callable[[Notebook, Generator], None]) -> Edit:
    """Register a change made in place as an edit; one that finds nothing to do changes nothing."""

    @functools.wraps(change)
    def changed(notebook: Notebook, rng: Generator, release: Notebook) -> Notebook:
        result = copy.deepcopy(notebook)
        put_stamps(result, release)
        try:
            change(result, rng)
        except NothingToDo:
            return notebook
        return result

    registered.append(changed)
    return changed


def role_of(cell: Cell) -> str:
    """Return what a released cell is for."""
    metadata = cell["metadata"]
    marks = metadata.get("nbgrader", {})
    if marks.get("solution"):
        return "answer" if cell["cell_type"] == "code" else "written"
    if cell["cell_type"] != "code":
        return "text"
    if marks.get("grade"):
        return "check"
    return "demo" if metadata.get("autograder", {}).get("role") == "demo" else "code"


def put_stamps(notebook: Notebook, release: Notebook) -> None:
    """Stamp the cells that have no stamp; those of the release are known by their ids."""
    known, part = {}, 0
    for number, cell in enumerate(release["cells"]):
        part += cell["cell_type"] == "markdown" and text(cell).startswith("## ")
        stamp = {"role": role_of(cell), "part": part, "number": number, "alone": True}
        known[cell["id"]] = stamp | ({"stub": cell} if stamp["role"] in ANSWERS else {})
    for cell in notebook["cells"]:
        if STAMP not in cell:
            cell[STAMP] = copy.deepcopy(OWN | known.get(cell.get("id"), {}))


def mark(cell: Cell, *hurdles: str, **stamp: Any) -> None:
    """Note on a cell's stamp what was done to it."""
    cell[STAMP] |= {"alone": False, "hurdles": [*cell[STAMP]["hurdles"], *hurdles]} | stamp


def hurdles(notebook: Notebook, release: Notebook) -> set[str]:
    """Return what makes some exports of a notebook unreadable.

    text: code that was given or answered stands in a cell that is not code; raw: a raw cell;
    halved: an answer's second half is indented; broken: a code cell is not Python; magic: a cell
    magic is on an answer; order: run as one cell, it fails or ends with an unfilled answer.
    """
    found = {hurdle for cell in notebook["cells"] for hurdle in cell[STAMP]["hurdles"]}
    code = [cell[STAMP] for cell in notebook["cells"] if cell["cell_type"] == "code"]
    numbers = [stamp["number"] for stamp in code if stamp["role"] in (*CODE, "answer")]
    needed = {n for n, cell in enumerate(release["cells"]) if role_of(cell) == "code"}
    return found | ({"order"} if numbers != sorted(numbers) or needed - {*numbers} else set())


def choose(rng: Generator, items: Sequence[T]) -> T:
    """Return one of these."""
    if not items:
        raise NothingToDo
    return items[int(rng.integers(len(items)))]


def chance(rng: Generator) -> bool:
    """Return True or False at random."""
    return bool(rng.integers(2))


def having(notebook: Notebook, *roles: str, type: str = "", alone: bool = False) -> list[Cell]:
    """Return the whole cells that have one of these roles."""
    return [
        cell
        for cell in notebook["cells"]
        if cell[STAMP]["role"] in roles
        and cell[STAMP]["whole"]
        and (cell[STAMP]["alone"] or not alone)
        and cell["cell_type"] == (type or cell["cell_type"])
    ]


def an_answer(notebook: Notebook, rng: Generator) -> Cell:
    """Return a cell that alone holds an answer in code."""
    return choose(rng, having(notebook, "answer", type="code", alone=True))


def a_written_answer(notebook: Notebook, rng: Generator) -> Cell:
    """Return a cell that alone holds a written answer."""
    return choose(rng, having(notebook, "written", type="markdown", alone=True))


def place_of(notebook: Notebook, cell: Cell) -> int:
    """Return a cell's position."""
    return next(number for number, other in enumerate(notebook["cells"]) if other is cell)


def places(notebook: Notebook, first: int = 0) -> list[int]:
    """Return the positions at which a cell may be inserted."""
    cells = notebook["cells"]
    numbers = range(first, len(cells) + 1)
    return [n for n in numbers if n == 0 or not cells[n - 1][STAMP]["tied"]]


def set_text(cell: Cell, source: str) -> None:
    """Write a cell's source, as a list of lines if it was one."""
    cell["source"] = source.splitlines(True) if isinstance(cell["source"], list) else source


def change_text(
    notebook: Notebook, rng: Generator, change: Callable[[str], str], *roles: str
) -> None:
    """Change a cell with one of these roles in which there is anything to change."""
    cells = [
        cell
        for cell in having(notebook, *roles)
        if cell["cell_type"] == ("markdown" if cell[STAMP]["role"] == "text" else "code")
        and change(text(cell)) != text(cell)
    ]
    cell = choose(rng, cells)
    set_text(cell, change(text(cell)))


def change_type(cell: Cell, type: str) -> None:
    """Turn a cell into one of another type."""
    cell["cell_type"] = type
    for key in ("outputs", "execution_count", "attachments"):
        cell.pop(key, None)
    if type == "code":
        cell |= {"outputs": [], "execution_count": None}


def renew(notebook: Notebook, rng: Generator, cell: Cell) -> None:
    """Give a cell a new id, in a notebook that has ids."""
    if notebook["nbformat_minor"] >= 5:
        cell["id"] = rng.bytes(4).hex()


def new_cell(
    notebook: Notebook, rng: Generator, source: str, type: str = "code", **stamp: Any
) -> Cell:
    """Return a cell of the student's own."""
    code: Cell = {"execution_count": None, "outputs": []} if type == "code" else {}
    cell: Cell = {"cell_type": type, "metadata": {}, "source": source} | code
    renew(notebook, rng, cell)
    return cell | {STAMP: copy.deepcopy(OWN | stamp)}


def insert(notebook: Notebook, place: int, cell: Cell) -> None:
    """Put a cell in; it belongs to the part of the cell above."""
    cell[STAMP]["part"] = notebook["cells"][max(0, place - 1)][STAMP]["part"]
    notebook["cells"].insert(place, cell)


def take(notebook: Notebook, cell: Cell) -> None:
    """Take a cell out."""
    notebook["cells"].pop(place_of(notebook, cell))


def move(notebook: Notebook, cell: Cell, place: Callable[[], int]) -> None:
    """Move a cell to a place that is found once it is out."""
    take(notebook, cell)
    mark(cell)
    insert(notebook, place(), cell)


def double(notebook: Notebook, rng: Generator, cell: Cell, place: int) -> None:
    """Put in a copy of a cell.

    JupyterLab pastes the metadata under a new id; other tools repeat the id, or drop both.
    """
    copied = copy.deepcopy(cell)
    if chance(rng):
        renew(notebook, rng, copied)
        copied["metadata"] = copied["metadata"] if chance(rng) else {}
    mark(cell)
    mark(copied)
    insert(notebook, place, copied)


def put_stub_beside(notebook: Notebook, rng: Generator, *, below: bool) -> Cell:
    """Put the given, unfilled cell above or below an answer, and return the answer."""
    cell = choose(rng, (an_answer, a_written_answer))(notebook, rng)
    stub = copy.deepcopy(cell[STAMP]["stub"])
    stub[STAMP] = copy.deepcopy(OWN | {"role": "stub", "whole": False, "hurdles": ["order"]})
    mark(cell)
    insert(notebook, place_of(notebook, cell) + below, stub)
    return cell


def split(notebook: Notebook, rng: Generator, cell: Cell, first: str, second: str) -> Cell:
    """Split a cell, and return its second half.

    JupyterLab gives both halves the metadata and new ids, and drops newlines at the cut; VS Code
    leaves all to the first.
    """
    below = copy.deepcopy(cell)
    renew(notebook, rng, below)
    if chance(rng):
        renew(notebook, rng, cell)
        first, second = first.strip("\n"), second.strip("\n")
    else:
        below["metadata"] = {}
    set_text(cell, first)
    set_text(below, second)
    mark(cell, whole=False, tied=True)
    mark(below, whole=False)
    insert(notebook, place_of(notebook, cell) + 1, below)
    return below


def merge_neighbours(
    notebook: Notebook, rng: Generator, above: Sequence[str], below: Sequence[str]
) -> None:
    """Merge two cells that have these roles; the metadata of the upper one is kept.

    JupyterLab leaves a blank line between them and gives a new id, VS Code does neither.
    """

    def fit(cell: Cell, roles: Sequence[str]) -> bool:
        stamp = cell[STAMP]
        plain = stamp["alone"] or stamp["role"] not in ANSWERS
        return plain and stamp["role"] in roles and stamp["whole"] and not stamp["hurdles"]

    pairs = [
        (one, other)
        for one, other in itertools.pairwise(notebook["cells"])
        if one["cell_type"] == other["cell_type"] and fit(one, above) and fit(other, below)
    ]
    first, second = choose(rng, pairs)
    lab = chance(rng)
    set_text(first, text(first) + ("\n\n" if lab else "\n") + text(second))
    if lab:
        renew(notebook, rng, first)
        if first["cell_type"] == "code":
            first["metadata"]["trusted"] = True
    roles = [first[STAMP]["role"], second[STAMP]["role"]]
    role = next((role for role in roles if role in ANSWERS), roles[0])
    mark(first, role=role, whole=role not in ANSWERS)
    take(notebook, second)
