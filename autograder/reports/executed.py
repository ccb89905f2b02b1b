"""The cells that ran -> executed.ipynb, for people to read."""

import hashlib
import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import quote

from autograder.program.build import Step
from autograder.records import codec
from autograder.records.homework import Cell
from autograder.reports import sanitize
from autograder.store.executed import data_of

MAX_IMAGES = 100
PICTURE_WIDTH = 1000
"""Pixels: formgrader's page is not much wider, and shows a picture in full."""
MIN_STORED, MAX_FIRST = 40, 80
"""Characters: shorter outputs reveal nothing, and a cell's first line is cut to this length."""
NOT_RUN = "Not run by the grader: the outputs below are those that were submitted.\n"
NO_OUTPUTS = "Not run by the grader, and submitted without outputs.\n"


def notebook(steps: Sequence[Step], submitted: Sequence[Cell] = ()) -> str:
    """Return a notebook's JSON with the outputs that its cells gave here.

    An output keeps only plain text and PNG images, with a list of what was left out: staff open
    this file, so student output in it must stay inert. Submitted outputs leave a digest, by which
    `autograder similar` finds outputs that two submissions share.
    """
    cells = []
    images = itertools.count()
    for number, step in enumerate(steps):
        if step.cell.type == "code":
            shown = [_shown(output, images) for output in step.cell.outputs]
            outputs = [output for output in shown if output.get("data") != {}]
            if left_out := _left_out(step.cell.outputs, shown):
                outputs.append(_note(f"Left out here: {', '.join(left_out)}.\n"))
            if not step.runs:
                outputs.insert(0, _note(NOT_RUN if outputs else NO_OUTPUTS))
            cell = {"source": step.cell.source, "outputs": outputs, "execution_count": None}
        elif step.cell.type == "markdown":
            cell = _text_cell(step.cell, images)
        else:
            cell = {"source": sanitize.markdown(step.cell.source)}
        kind = step.cell.type if step.cell.type in ("code", "markdown") else "raw"
        mine = {"stands_for": step.stands_for, "runs": step.runs}
        cells.append(
            {"cell_type": kind, "id": f"cell-{number}", "metadata": {"autograder": mine}, **cell}
        )
    # Plain JSON, because importing nbformat takes seconds; a test checks it with nbformat.
    stored = [found for cell in submitted if (found := _stored(cell))]
    own = {"autograder": {"submitted_outputs": stored}}
    whole = {"cells": cells, "metadata": own, "nbformat": 4, "nbformat_minor": 5}
    return codec.indented(whole) + "\n"


Node = dict[str, Any]
"""A part of a notebook of format 4."""


def _stored(cell: Cell) -> list[str]:
    """Return a cell's first line and a digest of its outputs, if they are long enough."""
    said = [
        _text(item)
        for output in cell.outputs
        for item in (
            output.get("text", ""),
            *(data_of(output).get(kind, "") for kind in ("text/plain", "image/png")),
        )
    ]
    if cell.type != "code" or sum(map(len, said)) < MIN_STORED:
        return []
    first = next((line for line in cell.source.split("\n") if line.strip()), "")
    words = codec.one_line(first.strip())[:MAX_FIRST]
    return [words, hashlib.sha256("\0".join(said).encode(errors="replace")).hexdigest()[:16]]


def _text_cell(cell: Cell, images: Iterator[int]) -> Node:
    """Return a text cell's text; its pictures are redrawn and get names of our own."""
    source = sanitize.markdown(cell.source)
    kept: dict[str, Any] = {}
    for name, data in cell.attachments.items():
        drawn = None
        if next(images) < MAX_IMAGES:
            drawn = sanitize.png(data, kinds=("PNG", "JPEG"), width=PICTURE_WIDTH)
        if drawn is None:
            source += "\n\n(A picture of this cell could not be shown.)"
            continue
        own = f"picture-{len(kept) + 1}.png"
        kept[own] = {"image/png": drawn}
        # Once only: a picture that a text shows a thousand times would fill the page.
        place = rf"\[([^\[\]\n]*)\]\(attachment:(?:{re.escape(name)}|{re.escape(quote(name))})\)"
        source, found = re.subn(place, rf"![\1](attachment:{own})", source, count=1)
        if not found:
            source += f"\n\n![picture](attachment:{own})"
    return {"source": source, **({"attachments": kept} if kept else {})}


def _note(text: str) -> Node:
    return {"output_type": "stream", "name": "stderr", "text": text}


def _shown(output: Mapping[str, Any], images: Iterator[int]) -> Node:
    """Return an output without anything that a browser would run."""
    match output.get("output_type"):
        case "stream":
            name = "stderr" if output.get("name") == "stderr" else "stdout"
            return {"output_type": "stream", "name": name, "text": _text(output.get("text"))}
        case "error":
            lines = output.get("traceback")
            trace = [str(line) for line in lines] if isinstance(lines, list) else []
            return {
                "output_type": "error",
                "ename": str(output.get("ename")),
                "evalue": str(output.get("evalue")),
                "traceback": trace,
            }
    data = data_of(output)
    kept = {"text/plain": _text(data["text/plain"])} if "text/plain" in data else {}
    if "image/png" in data and next(images) < MAX_IMAGES:
        image = sanitize.bare_png(_text(data["image/png"]))
        kept |= {"image/png": image} if image else {}
    return {"output_type": "display_data", "data": kept, "metadata": {}}


def _left_out(before: Sequence[Mapping[str, Any]], after: Sequence[Node]) -> list[str]:
    pairs = zip(before, after, strict=True)
    kinds = {kind for old, new in pairs for kind in set(data_of(old)) - set(data_of(new))}
    return sorted(str(kind)[:80] for kind in kinds)


def _text(value: object) -> str:
    return "".join(map(str, value)) if isinstance(value, list) else str(value)
