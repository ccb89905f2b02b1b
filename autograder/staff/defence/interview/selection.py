"""Select the students to interview, each with the reason for their page."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from autograder.marking.mark import number, points
from autograder.records.errors import UserError
from autograder.records.marks import Mark, without_added
from autograder.staff.defence import marked_sheets
from autograder.staff.defence.keys import Keys
from autograder.staff.defence.marked_sheets import DefenceRules
from autograder.store import results

HIGH, LOW = 0.8, 0.5
"""Marks count as high from this share of the points, and a sheet as low below this score."""


@dataclass(frozen=True)
class Person:
    """A student to interview, with the reason.

    Args:
        marks: Marked question -> its mark.
        missed: Answer -> the number of wrong replies to questions about it on an earlier sheet.
    """

    student: str
    why: str
    marks: Mapping[str, Mark]
    missed: Mapping[str, int]


def selected(
    folder: Path,
    students: Sequence[str],
    named: Collection[str],
    rules: DefenceRules,
    keys: Keys | None,
) -> list[Person]:
    """Return the named students, or those with high marks and a low score on their sheets.

    Raises:
        UserError: a named student does not exist, or nobody is named and no sheet is marked.
    """
    if gone := sorted(set(named) - set(students)):
        raise UserError(f"--student {gone[0]}: {folder} has no results of this student")
    low = LOW if rules.pass_mark is None else rules.pass_mark
    found, is_marked = [], False
    for student in named or students:
        given = marked_sheets.read(folder / student)
        sheets = given.sheets if given else {}
        marks = _marks(folder / student)
        counting = [one for one in marks.values() if not one.extra]
        got, worth = sum(one.earned or 0 for one in counting), sum(one.points for one in counting)
        is_marked |= bool(sheets)
        score = max((one.score for one in sheets.values()), default=1.0)
        if not named and not (worth and got >= HIGH * worth and score < low):
            continue
        why = [f"{number(got)} of {points(worth)} for what is marked."] if worth else []
        why += [f"Sheet {place}: {one.words}." for place, one in sorted(sheets.items())]
        first = "You named this student." if named else "High marks and a low sheet."
        missed = _missed(student, sheets, keys)
        found.append(Person(student, " ".join([first, *why]), marks, missed))
    if not named and not is_marked:
        raise UserError(
            f"{folder} has no marked sheet to choose students by; name them with --student ID, or "
            "mark sheets first (`autograder defend --mark`)"
        )
    return found


def _marks(folder: Path) -> dict[str, Mark]:
    grade = results.found_grade(folder)
    marks = without_added(grade).marks if grade else ()
    return {one.question: one for one in marks if one.earned is not None}


def _missed(
    student: str, sheets: Mapping[int, marked_sheets.MarkedSheet], keys: Keys | None
) -> Counter[str]:
    """Return the answers that a student did not understand, by an earlier sheet and its key."""
    own = keys.sheets.get(student) if keys else None
    sheet = next((one for one in sheets.values() if own and one.code == own.sheet), None)
    if own is None or sheet is None:
        return Counter()
    pairs = zip(sheet.letters, own.questions, strict=False)
    return Counter(key.about for letter, key in pairs if letter and letter != key.right)
