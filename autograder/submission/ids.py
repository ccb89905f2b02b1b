"""Find whose a platform's numbers are: some number people anew for each assignment."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from autograder.course.people import People, Person
from autograder.records.codec import one_line
from autograder.records.errors import UserError
from autograder.submission import receipts
from autograder.submission.discover import Found


def read(path: Path, numbers: Iterable[str], roster: People) -> dict[str, Person]:
    """Return who has each of a platform's numbers, by a CSV of people; UserError where it does not do.

    In each line of it, one cell ends in the platform's number, such as "Participant 501", and
    another is an id that any column of roster.csv has: a grading worksheet in any language, say, or
    a gradebook that was exported. Which column has the numbers is found by the submissions.
    """
    lines = receipts.lines(path)
    known = set(numbers)
    column = _column(lines, known)
    if column is None:
        raise UserError(
            f"{one_line(path)}: no column of it has the numbers of these submissions, such as "
            f"{one_line(min(known, default=''))}; is it of another platform, or of another assignment?"
        )
    found: dict[str, Person] = {}
    for line in lines:
        number = _number(line, column)
        others = (*line[:column], *line[column + 1 :])
        people = {person for cell in others if (person := roster.find(cell))}
        if number not in known or not people:
            continue
        if len(people) > 1 or found.get(number, *people) not in people:
            raise UserError(
                f"{one_line(path)}: {number} belongs to more than one person of roster.csv"
            )
        (found[number],) = people
    if shared := [one.id for one, count in Counter(found.values()).items() if count > 1]:
        raise UserError(f"{one_line(path)}: {one_line(shared[0])} has more than one number")
    return found


def renamed(found: Sequence[Found], people: Mapping[str, Person]) -> list[Found]:
    """Return the submissions under people's names; a note names numbers that nobody has.

    Raises:
        UserError: another submission is called as one of them would be.
    """
    taken = {item.student for item in found if item.student not in people}
    if both := sorted(taken & {person.folder for person in people.values()}):
        raise UserError(f"two submissions would be called {one_line(both[0])}; grade one by itself")
    return [_named(item, people) for item in found]


def _named(item: Found, people: Mapping[str, Person]) -> Found:
    if person := people.get(item.student):
        receipt = item.receipt
        if receipt and person.id not in receipt.people:  # an extension may be under either
            receipt = replace(receipt, people=(*receipt.people, person.id))
        return replace(item, student=person.folder, receipt=receipt)
    unknown = "the list of people does not show whose it is"
    return replace(item, note="; ".join(filter(None, (item.note, unknown))))


def _column(lines: Sequence[Sequence[str]], known: set[str]) -> int | None:
    width = max(map(len, lines), default=0)
    counts = [sum(_number(line, column) in known for line in lines) for column in range(width)]
    return counts.index(max(counts)) if any(counts) else None


def _number(line: Sequence[str], column: int) -> str:
    found = re.search(r"\d+\Z", line[column].strip()) if column < len(line) else None
    return found[0] if found else ""
