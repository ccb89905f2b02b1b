"""The owners of a platform's numbers: some platforms number people anew for each assignment."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from autograder.course.people import People, Person
from autograder.records.codec import one_line
from autograder.records.errors import UserError
from autograder.submission import receipts
from autograder.submission.choice import joined
from autograder.submission.discover import Found


def read(path: Path, numbers: Iterable[str], roster: People) -> dict[str, Person]:
    """Return the owners of a platform's numbers from a CSV; raise UserError if it does not fit.

    In each line, one cell ends in the platform's number, such as "Participant 501", and a second
    one is an id from any column of roster.csv. Examples are a grading worksheet in any language, or
    an exported gradebook. The submissions show which column has the numbers.
    """
    lines = receipts.lines(path)
    known = set(numbers)
    column = _column(lines, known)
    if column is None:
        raise UserError(
            f"{one_line(path)}: no column has the numbers of these submissions, such as "
            f"{one_line(min(known, default=''))}; is it from a different platform or "
            "assignment?"
        )
    found: dict[str, Person] = {}
    for number, person in _owners(lines, column, known, roster):
        if found.setdefault(number, person) != person:
            raise UserError(
                f"{one_line(path)}: {number} belongs to more than one person in roster.csv"
            )
    if shared := [one.id for one, count in Counter(found.values()).items() if count > 1]:
        raise UserError(f"{one_line(path)}: {one_line(shared[0])} has more than one number")
    return found


def renamed(found: Sequence[Found], people: Mapping[str, Person]) -> list[Found]:
    """Return the submissions under people's names, with a note on numbers that nobody has.

    Raises:
        UserError: two submissions would get the same name.
    """
    taken = {item.student for item in found if item.student not in people}
    if both := sorted(taken & {person.folder for person in people.values()}):
        raise UserError(
            f"two submissions would be called {one_line(both[0])}; grade one separately"
        )
    return [_named(item, people) for item in found]


def _named(item: Found, people: Mapping[str, Person]) -> Found:
    if person := people.get(item.student):
        receipt = item.receipt and item.receipt.of(person.id)
        return replace(item, student=person.folder, receipt=receipt)
    unknown = "the list of people does not show who submitted this"
    return replace(item, note=joined(item.note, unknown))


def _column(lines: Sequence[Sequence[str]], known: set[str]) -> int | None:
    width = max(map(len, lines), default=0)
    counts = [sum(_number(line, column) in known for line in lines) for column in range(width)]
    return counts.index(max(counts)) if any(counts) else None


def _owners(
    lines: Sequence[Sequence[str]], numbers: int, known: set[str], roster: People
) -> Iterator[tuple[str, Person]]:
    """Yield each known number with each person that a column of its line names."""
    named: dict[int, dict[tuple[str, Person], str]] = {}
    for line in lines:
        for column, cell in enumerate(line):
            number = _number(line, numbers)
            if column != numbers and number in known and (person := roster.find(cell)):
                named.setdefault(column, {})[number, person] = cell
    best = max(named.values(), key=len, default={})
    for pairs in named.values():
        # A few cells, such as marks, may be somebody's id by chance. Addresses are not.
        addresses = all("@" in cell for cell in pairs.values())
        if 2 * len(pairs) > len(best) or pairs.keys() <= best.keys() or addresses:
            yield from pairs


def _number(line: Sequence[str], column: int) -> str:
    found = re.search(r"\d+\Z", line[column].strip()) if column < len(line) else None
    return found[0] if found else ""
