"""A platform's list of people -> whose its numbers are: some number people anew for each assignment."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from autograder.codec import one_line
from autograder.model import UserError
from autograder.submission import receipts
from autograder.submission.discover import Found
from autograder.submission.gradescope_export import Roster


def read(path: Path, numbers: Iterable[str], roster: Roster) -> dict[str, str]:
    """Return the roster's id for each of a platform's numbers that a list of people has.

    In each line of it, one cell ends in the platform's number, such as "Participant 501", and
    another is an id or an address of roster.csv. Moodle's grading worksheet is such a list, in
    any language, and so is the gradebook that Canvas exports. Which column has the numbers is
    found by the submissions.

    Args:
        path: The list, as CSV.
        numbers: What the submissions are called.
        roster: People by id.

    Raises:
        UserError: it cannot be read, or two people have one number.
    """
    lines = receipts.lines(path)
    known = set(numbers)
    column = _column(lines, known)
    if column is None:
        raise UserError(
            f"{one_line(path)}: no column of it has the numbers of these submissions, such as "
            f"{one_line(min(known, default=''))}; is it of another platform, or of another assignment?"
        )
    people = _people(roster)
    found: dict[str, str] = {}
    for line in lines:
        number = _number(line, column)
        others = {cell.strip().casefold() for cell in (*line[:column], *line[column + 1 :])}
        ids = {people[cell] for cell in others if cell in people}
        if number not in known or not ids:
            continue
        if len(ids) > 1 or found.get(number, *ids) not in ids:
            raise UserError(
                f"{one_line(path)}: {number} belongs to more than one person of roster.csv"
            )
        (found[number],) = ids
    if shared := [id for id, count in Counter(found.values()).items() if count > 1]:
        raise UserError(f"{one_line(path)}: {shared[0]} has more than one number")
    return found


def renamed(found: Sequence[Found], ids: Mapping[str, str]) -> list[Found]:
    """Return the submissions under the roster's ids; a note names numbers that nobody has.

    Raises:
        UserError: another submission is called as one of them would be.
    """
    taken = {item.student for item in found if item.student not in ids}
    if both := sorted(taken & set(ids.values())):
        raise UserError(f"two submissions would be called {one_line(both[0])}; grade one by itself")
    return [_named(item, ids) for item in found]


def _named(item: Found, ids: Mapping[str, str]) -> Found:
    if item.student in ids:
        id, receipt = ids[item.student], item.receipt
        if receipt and id not in receipt.people:  # an extension may be under either
            receipt = replace(receipt, people=(*receipt.people, id))
        return replace(item, student=id, receipt=receipt)
    unknown = "the list of people does not show whose it is"
    return replace(item, note="; ".join(filter(None, (item.note, unknown))))


def _people(roster: Roster) -> dict[str, str]:
    """Return who is meant by an id, or by an address that one person has."""
    addresses = [(row.get("email") or "").strip().casefold() for row in roster.values()]
    times = Counter(addresses)
    people = {a: id for a, id in zip(addresses, roster, strict=True) if a and times[a] == 1}
    return people | {id.casefold(): id for id in roster}


def _column(lines: Sequence[Sequence[str]], known: set[str]) -> int | None:
    """Return the column that has most of the numbers; None where none has any."""
    width = max(map(len, lines), default=0)
    counts = [sum(_number(line, column) in known for line in lines) for column in range(width)]
    return counts.index(max(counts)) if any(counts) else None


def _number(line: Sequence[str], column: int) -> str:
    """Return the number that a cell ends in; empty where there is none."""
    found = re.search(r"\d+\Z", line[column].strip()) if column < len(line) else None
    return found[0] if found else ""
