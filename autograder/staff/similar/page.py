"""Pairs -> similar.html: side by side, with what they share marked, and no verdict."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from autograder.reports.templates import environment
from autograder.staff.similar.pairs import MOST, Pair, Part, Work
from autograder.staff.similar.tokens import sentences

NAME = "similar.html"
MAX_LINES, MAX_LINE = 150, 1_000
"""Of one cell, and characters of one line."""


@dataclass(frozen=True)
class Line:
    """One line of a cell, and whether a shared part goes through it."""

    text: str
    is_shared: bool


@dataclass(frozen=True)
class Shown:
    """A cell with a shared part: its first lines, how many more there are, and whether it is code."""

    lines: tuple[Line, ...]
    left_out: int
    is_code: bool


@dataclass(frozen=True)
class Row:
    """What two submissions have in one place.

    Args:
        title: The id of the released cell, or what else the place is.
        sides: The cells with a shared part, of the first and of the second submission.
    """

    title: str
    sides: tuple[tuple[Shown, ...], tuple[Shown, ...]]


@dataclass(frozen=True)
class Compared:
    """A pair as the page shows it.

    Args:
        names: Of the two submissions.
        code: How many fingerprints of code are shared.
        text: How many of prose.
        rarest: How many submissions have the rarest of them.
        rows: In the order of the release.
    """

    pair: Pair
    names: tuple[str, str]
    code: int
    text: int
    outputs: int
    rarest: int
    rows: tuple[Row, ...]


def html(
    pairs: Sequence[Pair],
    *,
    title: str,
    course: str,
    count: int,
    earlier: int,
    most: int,
    left_out: Sequence[str] = (),
) -> str:
    """Return a self-contained page: no script, nothing loaded from elsewhere."""
    return _environment.get_template("similar.html.jinja").render(
        title=title,
        course=course,
        count=count,
        earlier=earlier,
        found=len(pairs),
        pairs=[_compared(pair) for pair in pairs[:most]],
        left_out=left_out,
        limit=MOST,
    )


def name(work: Work) -> str:
    """Return what a submission is called."""
    return f"{work.student} ({work.group})" if work.group else work.student


def _compared(pair: Pair) -> Compared:
    kind_of = {item.key: part.kind for part in pair.first.parts for item in part.fingerprints}
    kinds = Counter(kind_of[key] for key in pair.shared)
    return Compared(
        pair=pair,
        names=(name(pair.first), name(pair.second)),
        code=kinds["code"],
        text=kinds["text"],
        outputs=kinds["outputs"],
        rarest=min(pair.shared.values()),
        rows=tuple(_rows(pair)),
    )


def _rows(pair: Pair) -> Iterator[Row]:
    first, second = _cells(pair.first, pair), _cells(pair.second, pair)
    order = [part.place for work in (pair.first, pair.second) for part in work.parts]
    for place in dict.fromkeys(order):
        if place in first or place in second:
            sides = (tuple(first.get(place, ())), tuple(second.get(place, ())))
            yield Row(place or "Cells that students added", sides)


def _cells(work: Work, pair: Pair) -> dict[str, list[Shown]]:
    found: dict[str, list[Shown]] = {}
    for part in work.parts:
        if marked := _shared_lines(part, pair):
            text = sentences(part.source) if part.kind == "text" else part.source.split("\n")
            lines = tuple(
                Line(_cut(line), number in marked) for number, line in enumerate(text[:MAX_LINES])
            )
            cell = Shown(lines, max(0, len(text) - MAX_LINES), part.kind == "code")
            found.setdefault(part.place, []).append(cell)
    return found


def _cut(line: str) -> str:
    return line if len(line) <= MAX_LINE else f"{line[:MAX_LINE]} ..."


def _shared_lines(part: Part, pair: Pair) -> set[int]:
    return {
        line
        for item in part.fingerprints
        if item.key in pair.shared
        for line in range(item.first, item.last + 1)
    }


_environment = environment("autograder.staff.similar", ".")
