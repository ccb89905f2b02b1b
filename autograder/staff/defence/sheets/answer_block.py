"""Lay out the block in which a student answers: boxes, corner marks and a code, in millimetres.

The printer and the reader of sheets share these numbers, so this module imports no library for
pictures.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from autograder.staff.defence.records import LETTERS

WIDTH, BOX, MARK, CODE = 174.0, 5.0, 7.0, 18.0
"""The width of the block, and the sides of a box, a corner mark and the code."""
PREFIX = "AGS"
"""The beginning of every code."""
LEAVES_OUT = "–"
CHOICES = (*LETTERS, LEAVES_OUT)
LETTER_BEFORE = 2.6
"""The distance from a letter's middle to its box."""
HOW = (
    f"Cross one box for each question; {LEAVES_OUT} leaves it out. "
    "To correct a cross, fill its box completely and cross a different one."
)
_HEAD, _ROW, _PITCH, _COLUMNS, _FIRST, _CODE_LEFT = 8.5, 9.0, 12.0, (9.0, 77.0), 11.0, 145.0
_ROWS = (2, 3, 4)
_SIDE = 6
# The first twelve marks of ArUco's 4x4_50: four for each number of rows, clockwise from the top left.
_MARKS = (
    *(0xB532, 0x0F9A, 0x332D, 0x9946),
    *(0x549E, 0x79CD, 0x9E2E, 0xC4F2),
    *(0xFEDA, 0xCF56, 0xF991, 0x11A7),
)


@dataclass(frozen=True)
class Strip:
    """The boxes of one question: the left edge of each, and the top edge of all."""

    question: int
    lefts: tuple[float, ...]
    top: float


@dataclass(frozen=True)
class Block:
    """The block of a sheet with some number of questions."""

    questions: int

    @property
    def rows(self) -> int:
        """The number of rows of strips."""
        return max(_ROWS[0], -(-self.questions // len(_COLUMNS)))

    @property
    def height(self) -> float:
        """Return its height."""
        return _HEAD + _ROW * self.rows

    def strips(self) -> Iterator[Strip]:
        """Return each question's boxes, the left column first."""
        for number in range(self.questions):
            column, row = divmod(number, self.rows)
            left = _COLUMNS[column] + _FIRST
            top = _HEAD + _ROW * row + (_ROW - BOX) / 2
            yield Strip(number + 1, tuple(left + _PITCH * n for n in range(len(CHOICES))), top)

    def marks(self) -> dict[int, tuple[float, float]]:
        """Return the top left corner of each corner mark, by its number among ArUco's."""
        right, bottom = WIDTH - MARK, self.height - MARK
        places = ((0.0, 0.0), (right, 0.0), (right, bottom), (0.0, bottom))
        first = 4 * _ROWS.index(self.rows)
        return {first + n: place for n, place in enumerate(places)}

    @property
    def code(self) -> tuple[float, float]:
        """Return the top left corner of the code."""
        return _CODE_LEFT, (self.height - CODE) / 2

    def picture(self, code: Sequence[Sequence[int]]) -> str:
        """Return all but its letters as SVG; `code` has the rows of its code, with 1 for black."""
        parts = [
            f'<rect x="{left:g}" y="{strip.top:g}" width="{BOX:g}" height="{BOX:g}"/>'
            for strip in self.strips()
            for left in strip.lefts
        ]
        squares = [
            square
            for id, place in self.marks().items()
            for square in _squares(mark(id), place, MARK)
        ]
        squares += _squares(code, self.code, CODE)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH:g}mm" height="{self.height:g}mm" '
            f'viewBox="0 0 {WIDTH:g} {self.height:g}">'
            f'<g fill="none" stroke="black" stroke-width="0.3">{"".join(parts)}</g>'
            f'<path d="{"".join(squares)}"/></svg>'
        )


def of_mark(id: int) -> Block | None:
    """Return the largest block with a mark of this number, or None."""
    row = id // 4
    return Block(_ROWS[row] * len(_COLUMNS)) if 0 <= row < len(_ROWS) else None


def mark(id: int) -> list[list[int]]:
    """Return the cells of a mark, 1 for black."""
    inner = [int(bit) for bit in f"{_MARKS[id]:016b}"]
    edge = [[1] * _SIDE]
    return [*edge, *([1, *(1 - bit for bit in inner[n : n + 4]), 1] for n in (0, 4, 8, 12)), *edge]


def _squares(
    cells: Sequence[Sequence[int]], place: tuple[float, float], side: float
) -> Iterator[str]:
    """Yield a path for each black run of a row."""
    size = side / len(cells)
    for number, row in enumerate(cells):
        for run in re.finditer("1+", "".join("1" if cell else "0" for cell in row)):
            left, top = place[0] + run.start() * size, place[1] + number * size
            wide = (run.end() - run.start()) * size
            # A little taller than a cell, since otherwise a white line shows between two rows.
            yield f"M{left:.3f} {top:.3f}h{wide:.3f}v{size + 0.01:.3f}h-{wide:.3f}z"


_LABEL = re.compile(rf"{PREFIX} (\w{{1,100}}) ([0-9]{{1,3}}) ([0-9A-F]{{6}}) ([0-9]) ([1-8])")


@dataclass(frozen=True)
class Label:
    """The contents of a page's code: homework, round, sheet, page and number of questions."""

    homework: str
    round: int
    sheet: str
    page: int
    questions: int

    def __str__(self) -> str:
        parts = (self.homework, self.round, self.sheet, self.page, self.questions)
        return " ".join((PREFIX, *map(str, parts)))


def label(text: str) -> Label | None:
    """Return the contents of a code; None if it is not one of ours."""
    found = _LABEL.fullmatch(text)
    if not found:
        return None
    return Label(found[1], int(found[2]), found[3], int(found[4]), int(found[5]))
