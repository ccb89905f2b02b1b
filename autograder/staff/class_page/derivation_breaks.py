"""A class's derivations, by the line where they break."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from autograder.records.homework import Homework
from autograder.staff.class_page.people import Person

_BREAKS = re.compile(
    r"The step from .{1,80}? to (?:the last line, which is made with )?"
    r"(?P<to>line \d+|your `[^`]+`),? is not"
    r"|\bLine (?P<line>\d+)(?:: | holds for every| could not| is a value before)"
    r"|(?P<other>The last line) is made with your|(?P<given>The given first line) is a value"
)


@dataclass(frozen=True)
class Break:
    """The derivations that break in one place.

    Args:
        place: The place: a line, or a result that does not follow from the lines.
        students: Their ids, sorted.

    """

    place: str
    students: tuple[str, ...]


@dataclass(frozen=True)
class Derived:
    """The derivations of one question.

    Args:
        sound: The number of derivations without a break.

    """

    question: str
    breaks: tuple[Break, ...]
    sound: int


def derived(people: Sequence[Person], homework: Homework) -> list[Derived]:
    """Return the questions with a derivation that somebody answered."""
    found = []
    for question in homework.questions:
        if question.check is None or not question.check.derives:
            continue
        said = {
            person.student: mark.message
            for person in people
            if person.answered(question.id)
            for mark in person.marks
            if mark.question == question.id
        }
        if said:
            breaks = by_break(said)
            sound = len(said) - sum(len(one.students) for one in breaks)
            found.append(Derived(question.id, tuple(breaks), sound))
    return found


def by_break(said: Mapping[str, str]) -> list[Break]:
    """Group derivations by the first line that does not follow.

    Args:
        said: Id -> the mark's message, which comes from the check `Derivation`.

    Returns:
        The derivations that break, in the order of their lines.

    """
    places: dict[str, list[str]] = defaultdict(list)
    for id in sorted(said):
        broken = _BREAKS.search(said[id])
        if broken:
            line = f"line {broken['line']}" if broken["line"] else ""
            place = broken["to"] or line or (broken["other"] or broken["given"]).lower()
            places[place].append(id)
    return [Break(place, tuple(places[place])) for place in sorted(places, key=_place)]


def _place(place: str) -> tuple[int, int, str]:
    """Return the sort key of a place: lines by number, results at the end."""
    number = re.fullmatch(r"line (\d+)", place)
    return (0, int(number[1]), "") if number else (1, 0, place)
