"""Interviews -> one file to print, only for staff: an A4 page for each student."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from autograder.marking.mark import number, points
from autograder.reports.templates import environment
from autograder.staff.defence.interview.classmate import Difference
from autograder.staff.defence.interview.selection import Person
from autograder.staff.defence.sheets.sheet import Asked, Box, Key, Sheet, spans

NAME = "interviews.html"
_SIZES = [one / 4 for one in range(36, 15, -1)]
"""Possible font sizes in points, the largest first."""
_WIDTH, _HEIGHT, _LETTER, _LINE = 538.0, 745.0, 0.62, 1.34
"""The space inside the margins of A4 in points, and the largest width of a letter and height of a
line."""
_environment = environment("autograder.staff.defence.interview", ".")


@dataclass(frozen=True)
class Interview:
    """The content of one student's page.

    Args:
        answers: Name of an answer -> the questions that evaluate it, in the order of the sheet's boxes.
    """

    person: Person
    name: str
    sheet: Sheet
    keys: Sequence[Key]
    answers: Mapping[str, Sequence[str]]
    difference: Difference | None

    @property
    def boxes(self) -> Iterator[tuple[Box, str, str]]:
        """Yield each box, its answer's name, and the points that the answer earned, in words."""
        for box, (name, ids) in zip(self.sheet.boxes, self.answers.items(), strict=True):
            marks = [self.person.marks[id] for id in ids if id in self.person.marks]
            got, worth = sum(one.earned or 0 for one in marks), sum(one.points for one in marks)
            yield box, name, f"{number(got)} of {points(worth)}" if marks else ""

    @property
    def questions(self) -> list[tuple[Asked, Key]]:
        """The questions with their keys."""
        return list(zip(self.sheet.questions, self.keys, strict=True))

    @property
    def size(self) -> float:
        """The largest font size at which it fits on one page."""
        return next((size for size in _SIZES if _high(self, size) <= _HEIGHT), _SIZES[-1])


def page(interviews: Sequence[Interview]) -> str:
    """Return the pages as HTML without scripts or external files."""
    template = _environment.get_template("interview.html.jinja")
    return template.render(interviews=interviews, spans=spans)


def _high(one: Interview, size: float) -> float:
    """Return the largest height of a page at a font size."""

    def rows(text: str, share: float = 1.0) -> int:
        most = max(_WIDTH * share / (size * _LETTER) - 4, 1)
        return sum(math.ceil(max(len(line), 1) / most) for line in text.split("\n"))

    half = 0.5 if len(one.sheet.boxes) > 1 else 1.0
    count = max(rows(box.numbered.replace("\n", "\n    "), half) for box in one.sheet.boxes)
    count += 6 + rows(one.person.why)
    for asked, key in one.questions:
        count += 2 + rows(asked.text) + rows("  ".join(f"{k} = {v}" for k, v in asked.given))
        for (_, said), why in zip(asked.options, key.because, strict=True):
            count += max(rows(said, 0.48), rows(why, 0.48))
    if other := one.difference:
        right = rows(" ".join(f"{k} = {v}" for k, v in other.given) + other.sizes, 0.48)
        right += rows(other.own, 0.48) + rows(other.other, 0.48) + 4
        count += 3 + max(rows(other.source, 0.5), right)
    return (count + 4) * size * _LINE
