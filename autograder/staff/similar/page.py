"""Pairs -> similar.html: side by side, with shared parts marked, and no verdict."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from autograder.course.people import People
from autograder.reports.templates import environment
from autograder.staff.similar.pairs import MOST, Pair, Part, Work
from autograder.staff.similar.tokens import sentences

NAME = "similar.html"
MAX_LINES, MAX_LINE = 150, 1_000
"""The most lines of a cell, and characters of a line."""
AROUND = 2
"""Lines to show around shared parts; others, such as a common prompt, are left out."""


@dataclass(frozen=True)
class Line:
    """A line of a cell, and whether a shared part goes through it."""

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
    """The shared parts of two submissions in one place.

    Args:
        title: The id of the released cell, or a description of the place.
        sides: The cells with a shared part, of the first and of the second submission.

    """

    title: str
    sides: tuple[tuple[Shown, ...], tuple[Shown, ...]]


@dataclass(frozen=True)
class Compared:
    """A pair as the page shows it.

    Args:
        names: The names of the two submissions.
        kinds: The number of shared fingerprints of code, text and outputs.
        rows: In the order of the release.

    """

    pair: Pair
    names: tuple[str, str]
    kinds: Counter[str]
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
    people: People | None = None,
) -> str:
    """Return a self-contained page without scripts or external files.

    It shows up to `most` pairs, most similar first, out of `count` submissions of this class and
    `earlier` of earlier ones, with the names of `people` and a line for each that was `left_out`.
    """
    return _environment.get_template("similar.html.jinja").render(
        title=title,
        course=course,
        count=count,
        earlier=earlier,
        found=len(pairs),
        pairs=[_compared(pair, people) for pair in pairs[:most]],
        left_out=left_out,
        limit=MOST,
    )


def name(work: Work, people: People | None = None) -> str:
    """Return a submission's label, with the person's name if a roster has it."""
    if work.group:
        return f"{work.student} ({work.group})"
    called = people.name_of(work.student) if people else ""
    return f"{called}, {work.student}" if called else work.student


def _compared(pair: Pair, people: People | None) -> Compared:
    kind_of = {item.key: part.kind for part in pair.first.parts for item in part.fingerprints}
    kinds = Counter[str](kind_of[key] for key in pair.shared)
    names = (name(pair.first, people), name(pair.second, people))
    return Compared(pair, names, kinds, tuple(_rows(pair)))


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
            near = {n + step for n in marked for step in range(-AROUND, AROUND + 1)}
            lines = tuple(_near(text[:MAX_LINES], marked, near))
            cell = Shown(lines, max(0, len(text) - MAX_LINES), part.kind == "code")
            found.setdefault(part.place, []).append(cell)
    return found


def _near(text: Sequence[str], marked: Collection[int], near: Collection[int]) -> Iterator[Line]:
    """Yield the lines near shared parts, and the number of lines left out between them."""
    for is_near, run in groupby(enumerate(text), key=lambda item: item[0] in near):
        lines = list(run)
        if is_near or len(lines) == 1:
            yield from (Line(_cut(line), number in marked) for number, line in lines)
        else:
            yield Line(f"⋯ {len(lines)} lines", is_shared=False)


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
