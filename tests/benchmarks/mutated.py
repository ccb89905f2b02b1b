"""A class for a nbgrader notebook: its solutions, each with or without a small mistake."""

import json
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path
from random import Random
from typing import Any

from autograder.program.mutants import BEGIN, END, mutants

WORDS = "Because the numbers say so."
"""What a student writes who answers in text."""
KINDS = ("right", "changed", "shorter", "stub", "raises")
WEIGHTS = (55, 20, 9, 8, 8)
"""How often each kind of answer is drawn, in percent."""


def make(folder: Path, number: int, *, seed: int, source: Path, release: Path) -> list[Path]:
    """Write the notebooks of a class and return their paths.

    The first student has everything right, the second one nothing written; of the others each
    answer is drawn by itself: right, with one operator, constant or other part of it changed, with
    a line left out, not written, or with an exception raised in it.

    Args:
        folder: Where student-0001.ipynb and the others go; it is made.
        number: How many.
        seed: The same seed writes the same bytes.
        source: The instructor's notebook.
        release: What students got of it.
    """
    folder.mkdir(parents=True)
    solutions = answers(source)
    paths = []
    for place in range(1, number + 1):
        random = Random(f"{seed} {place}")
        given = {id: changed(text, _kind(place, random), random) for id, text in solutions.items()}
        written = {id: _unmarked(text) for id, text in given.items() if text is not None}
        paths.append(folder / f"student-{place:04}.ipynb")
        paths[-1].write_text(filled(release, written), encoding="utf-8")
    return paths


def _kind(place: int, random: Random) -> str:
    drawn = random.choices(KINDS, WEIGHTS)[0]
    return {1: "right", 2: "stub"}.get(place, drawn)


def answers(source: Path) -> dict[str, str]:
    """Return grade_id -> the solution of each cell that students write, markers included."""
    found = {}
    for cell in json.loads(source.read_text(encoding="utf-8"))["cells"]:
        marks = cell["metadata"].get("nbgrader", {})
        if marks.get("solution"):
            text = "".join(cell["source"]) if cell["cell_type"] == "code" else WORDS
            found[marks["grade_id"]] = text
    return found


def right(source: Path) -> dict[str, str]:
    """Return grade_id -> the solution of each cell that students write, as a student writes it."""
    return {id: _unmarked(text) for id, text in answers(source).items()}


def changed(source: str, kind: str, random: Random) -> str | None:
    """Return a solution with a mistake of a kind; None for one that is not written."""
    if kind == "stub":
        return None
    if kind == "right" or source == WORDS:
        return source
    if kind == "changed":
        marked = source if BEGIN in source else f"{BEGIN}\n{source}\n{END}"
        with_one_change = list(_changed(marked))
        if with_one_change:
            return random.choice(with_one_change)
    lines = source.split("\n")
    places = [
        number for number, line in enumerate(lines) if _inside(lines, number) and line.strip()
    ]
    if not places:
        return source
    place = random.choice(places)
    if kind == "raises":
        indent = lines[place][: len(lines[place]) - len(lines[place].lstrip())]
        return "\n".join([*lines[:place], f"{indent}raise ValueError({place})", *lines[place:]])
    return "\n".join([*lines[:place], *lines[place + 1 :]])


def _changed(source: str) -> Iterator[str]:
    try:
        yield from (mutant.source for mutant in mutants(source))
    except SyntaxError:  # a magic of IPython's
        return


def _inside(lines: list[str], place: int) -> bool:
    """Return whether a line is a solution's: between markers, where there are any."""
    marks = [line.strip() for line in lines[:place] if line.strip() in (BEGIN, END)]
    if lines[place].strip() in (BEGIN, END):
        return False
    return marks[-1:] == [BEGIN] if any(line.strip() == BEGIN for line in lines) else True


def _unmarked(source: str) -> str:
    return "\n".join(line for line in source.split("\n") if line.strip() not in (BEGIN, END))


def filled(release: Path, written: Mapping[str, str], *, first: str = "", last: str = "") -> str:
    """Return a released notebook with answers written.

    Args:
        release: What students got.
        written: grade_id -> source.
        first: Source of a cell above all others.
        last: Source of a cell below all others.
    """
    nodes = json.loads(release.read_text(encoding="utf-8"))
    for cell in nodes["cells"]:
        id = cell["metadata"].get("nbgrader", {}).get("grade_id")
        if id in written:
            cell["source"] = written[id].splitlines(keepends=True)
    above = [_cell("mine-first", first)] if first else []
    below = [_cell("mine-last", last)] if last else []
    nodes["cells"] = [*above, *nodes["cells"], *below]
    return json.dumps(nodes)


def _cell(id: str, source: str) -> dict[str, Any]:
    cell = {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": []}
    return {**cell, "id": id, "source": textwrap.dedent(source).splitlines(keepends=True)}
