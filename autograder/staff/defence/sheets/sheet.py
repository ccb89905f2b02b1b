"""The possible questions for each student -> a sheet for each, all of similar difficulty."""

import hashlib
import math
import re
import statistics
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from random import Random

from autograder.staff.defence.maker import KINDS_ENOUGH, Made
from autograder.staff.defence.records import KINDS, LETTERS, Item

MAX_CODE = 42
"""The most lines of code on a sheet, so that it fits on one page without small letters."""
_MOST_COMBINATIONS = 3_000
_CODES = re.compile(r"(?=[0-9E]{0,5}[A-DF])(?!.{0,2}(?:DEC|FEB))[0-9A-F]{6}")
"""Codes that a spreadsheet takes neither for a number, such as 123E45, nor for a date."""


@dataclass(frozen=True)
class Box:
    """Some of a student's code, with the letter by which questions name it.

    The edits that questions mention are here and not in the questions, which reveal nothing to a
    person without the code at hand.

    Args:
        edits: The edits and their names.
    """

    letter: str
    source: str
    edits: tuple[tuple[str, str], ...] = ()

    @property
    def numbered(self) -> str:
        """Return the code with line numbers, and its edits."""
        lines = self.source.split("\n")
        numbered = [f"{n:>2}  {line}" for n, line in enumerate(lines, start=1)]
        edits = [f"{name}: {says.replace('`', '')}" for name, says in self.edits]
        return "\n".join([*numbered, *([""] if edits else []), *edits])


@dataclass(frozen=True)
class Asked:
    """One question of a sheet, as shown."""

    number: int
    text: str
    given: tuple[tuple[str, str], ...]
    options: tuple[tuple[str, str], ...]

    @property
    def values(self) -> str:
        """The values that it mentions, one in each line."""
        return "\n".join(f"{name} = {value}" for name, value in self.given)


@dataclass(frozen=True)
class Sheet:
    """A student's sheet, without a key.

    Args:
        code: Identifies answers to this sheet.
        boxes: The student's code that the questions are about.
    """

    student: str
    title: str
    course: str
    code: str
    boxes: tuple[Box, ...]
    questions: tuple[Asked, ...]


@dataclass(frozen=True)
class Key:
    """The key and notes of one question, for staff.

    Args:
        about: The name of the answer that it is about.
        because: The edit or mistake behind each choice.
    """

    kind: str
    about: str
    right: str
    difficulty: float
    because: tuple[str, ...] = ()


def chosen(made: Mapping[str, Made], number: int) -> dict[str, tuple[Item, ...]]:
    """Return some questions for each student, so that all sheets are of similar difficulty."""
    own = [
        statistics.mean(item.difficulty for item in one.items)
        for one in made.values()
        if len(one.items) >= number
    ]
    wanted = statistics.median(own) if own else 0.0
    return {student: _best(one.items, number, wanted) for student, one in made.items()}


def _best(items: Sequence[Item], number: int, wanted: float) -> tuple[Item, ...]:
    """Return the most varied sheet whose difficulty is near a target."""
    if len(items) < number:
        return ()

    def cost(group: Sequence[Item]) -> tuple[float, ...]:
        kinds = Counter(item.kind for item in group)
        lines = sum(one.count("\n") + 1 for one in {item.answer.source for item in group})
        far = abs(statistics.mean(item.difficulty for item in group) - wanted)
        return (
            max(lines - MAX_CODE, 0),
            -min(len(kinds), KINDS_ENOUGH),
            max(kinds.values()) > 2,
            doubles(group) + tells(group),
            round(far, 6),
        )

    return min(_groups(items, number), key=cost)


def _groups(items: Sequence[Item], number: int) -> Iterable[tuple[Item, ...]]:
    """Return all combinations of a number of questions, or random ones if there are too many."""
    if math.comb(len(items), number) <= _MOST_COMBINATIONS:
        return combinations(items, number)
    rng = Random(len(items))
    return (
        tuple(items[n] for n in sorted(rng.sample(range(len(items)), number)))
        for _ in range(_MOST_COMBINATIONS)
    )


def doubles(group: Sequence[Item]) -> int:
    """Return how many questions share kind and answer with an earlier one."""
    return len(group) - len({(item.kind, item.answer.name) for item in group})


def tells(group: Sequence[Item]) -> int:
    """Return how many questions show the result of a call that a different question asks for."""
    predicted = {(i.answer.name, i.given) for i in group if i.kind == "predict"}
    return sum((i.answer.name, i.given) in predicted for i in group if i.kind == "where")


def sheet(
    student: str, items: Sequence[Item], *, title: str, course: str
) -> tuple[Sheet, list[Key]]:
    """Return a student's sheet, and its key."""
    sources = list(dict.fromkeys(item.answer.source for item in items))
    ordered = sorted(items, key=lambda item: sources.index(item.answer.source))
    letter_of = dict(zip(sources, "PQRSTUVW", strict=False))
    edits = {source: _edits(source, items, letter_of[source]) for source in sources}
    questions = tuple(
        _asked(number, item, letter_of[item.answer.source], edits[item.answer.source])
        for number, item in enumerate(ordered, start=1)
    )
    boxes = tuple(
        Box(letter_of[source], source, tuple((name, says) for says, name in edits[source].items()))
        for source in sources
    )
    content = repr((student, title, boxes, questions))
    digest = hashlib.sha256(content.encode()).hexdigest().upper()
    code = next(_CODES.finditer(digest))[0]
    keys = [
        Key(
            KINDS[i.kind],
            i.answer.name,
            LETTERS[i.key],
            round(i.difficulty, 2),
            tuple(i.because.get(said, "") for said in i.options),
        )
        for i in ordered
    ]
    return Sheet(student, title, course, code, boxes, questions), keys


def _edits(source: str, items: Sequence[Item], letter: str) -> dict[str, str]:
    found = {says for item in items if item.answer.source == source for says in item.edits}
    ordered = sorted(found, key=lambda says: (int(says.split(":")[0].split()[1]), says))
    return {says: f"edit {letter}{number}" for number, says in enumerate(ordered, start=1)}


def _asked(number: int, item: Item, letter: str, edits: Mapping[str, str]) -> Asked:
    text = item.text.replace("{box}", letter)
    if "{edit}" in text:
        text = text.replace("{edit}", edits[item.edits[0]])
    options = tuple(edits.get(said, said) for said in item.options)
    return Asked(number, text, item.given, tuple(zip(LETTERS, options, strict=True)))


def spans(text: str) -> list[tuple[bool, str]]:
    """Return the pieces of a text, and whether each is code."""
    return [(bool(n % 2), piece) for n, piece in enumerate(text.split("`")) if piece]
