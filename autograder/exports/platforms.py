"""The columns of a platform's CSV: the person of a line, the place of the mark, what is read back.

Canvas: lib/gradebook_exporter.rb and lib/gradebook_importer.rb of instructure/canvas-lms.
    The header is "Student" (or "LastName", "FirstName"), "ID", "SIS User ID", "SIS Login ID",
    "Integration ID", "Root Account", "Section", custom columns, then each assignment as
    "Title (4711)", then totals. A line of "Manual Posting" may follow, then the one that begins
    with "    Points Possible", where what is only shown is "(read only)". The importer finds a
    person by `row[1]` ("second or third column in the csv should have the student_id"), takes
    "EX" for excused, and reads back custom columns and assignments.
Moodle: mod/assign/gradingtable.php, mod/assign/feedback/offline/importgradeslib.php and locallib.php
    of moodle/moodle. The first column is the "Identifier", such as "Participant 501"; "Maximum
    grade" follows "Grade"; text that students wrote may come before "Last modified (grade)", and
    the columns after that are feedback. The importer reads back identifier, grade, that date and
    feedback, and takes no grade above the maximum ("Out of range" is skipped without a word).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from autograder.codec import one_line
from autograder.exports.csv_table import CsvTable, number
from autograder.model import UserError

_CANVAS_IDS = ("ID", "SIS User ID", "SIS Login ID", "Integration ID")
_ASSIGNMENT = re.compile(r"(.*) \(([0-9]+)\)", re.DOTALL)
# `get_string('grade')` and `get_string('lastmodifiedgrade', 'assign')` in a few of its languages.
_GRADE = ("Grade", "Bewertung", "Note", "Calificación", "Valutazione", "Beoordeling", "Nota")
_MODIFIED = ("Last modified (grade)", "Zuletzt geändert (Bewertung)")


@dataclass(frozen=True)
class Columns:
    """What the columns of a table are.

    Args:
        platform: Its name.
        grade: The column that takes the mark.
        ids: Columns by which a line may say whose it is, the platform's own number first.
        numbered: Of these, the ones in which a number ends the text ("Participant 501").
        first: The first line of a person.
        read_back: Columns that the platform reads again: no text in them may change.
        most: What the platform takes at most; None where it is not known.
        capped: Whether it drops a mark above that without a word.
        locked: Lines whose mark cannot be changed there, by number: what to say of each.
    """

    platform: str
    grade: int
    ids: tuple[int, ...]
    numbered: frozenset[int]
    first: int
    read_back: frozenset[int]
    most: float | None
    capped: bool
    locked: dict[int, str]


def canvas(table: CsvTable, *, titles: Sequence[str], column: str = "") -> Columns:
    """Return what the columns of Canvas's gradebook are.

    Args:
        table: What `Export Entire Gradebook` gave.
        titles: What the assignment may be called.
        column: What it is called, or its number, where a person gave it.

    Raises:
        UserError: it is no such file, or nobody can tell the assignment.
    """
    header = [cell.strip() for cell in table.header]
    if header[:1] not in (["Student"], ["LastName"]) or "ID" not in header[:4]:
        raise UserError(
            f"{one_line(table.name)}: this is not a gradebook of Canvas, whose first line begins with "
            "Student,ID; export it with Grades > Export > Export Entire Gradebook"
        )
    section = header.index("Section") if "Section" in header else header.index("ID")
    possible = next(
        (n for n in range(1, min(4, len(table.rows))) if "Points Possible" in table.cell(n, 0)), 0
    )
    open_to = [
        n
        for n, cell in enumerate(header)
        if n > section
        and _ASSIGNMENT.fullmatch(cell)
        and "read only" not in table.cell(possible, n)
    ]
    grade = _chosen(table, open_to, titles, column)
    first = possible + 1
    excused = {"EX": "excused in Canvas", "N/A": "not assigned to this person in Canvas"}
    locked = {
        row: excused[table.cell(row, grade).upper()]
        for row in range(first, len(table.rows))
        if table.cell(row, grade).upper() in excused
    }
    ids = tuple(header.index(name) for name in _CANVAS_IDS if name in header[:section])
    return Columns(
        "Canvas",
        grade,
        ids,
        numbered=frozenset(),
        first=first,
        read_back=frozenset((*ids, *range(section + 1, len(header)))),
        most=number(table.cell(possible, grade)) if possible else None,
        capped=False,
        locked=locked,
    )


def _chosen(table: CsvTable, open_to: Sequence[int], titles: Sequence[str], column: str) -> int:
    """Return the assignment's column."""
    wanted = {name.strip().casefold() for name in ([column] if column else titles)}
    found = []
    for place in open_to:
        whole = table.cell(0, place)
        match = _ASSIGNMENT.fullmatch(whole)
        names = {whole, match[1].strip(), match[2]} if match else {whole}
        if wanted & {name.casefold() for name in names}:
            found.append(place)
    if len(found) == 1:
        return found[0]
    there = ", ".join(repr(one_line(table.cell(0, place))) for place in open_to[:10])
    which = f"{len(found)} columns are" if found else "no column is"
    raise UserError(
        f"{one_line(table.name)}: {which} called {column or ' or '.join(titles)}; give one with "
        f"--column (there are: {there or 'none'})"
    )


def moodle(table: CsvTable, *, column: str = "") -> Columns:
    """Return what the columns of Moodle's grading worksheet are.

    Args:
        table: What `Download grading worksheet` gave.
        column: What the column of the grade is called, where Moodle speaks another language.

    Raises:
        UserError: it is no such file, or its marks are words of a scale.
    """
    header = [cell.strip() for cell in table.header]
    grades = [n for n, cell in enumerate(header) if cell in ([column] if column else _GRADE)]
    people = range(1, len(table.rows))
    numbers = [last_number(table.cell(row, 0)) for row in people]
    if not people or not all(numbers):
        raise UserError(
            f"{one_line(table.name)}: this is not a grading worksheet of Moodle, whose first column "
            "has identifiers such as Participant 501; download it from the assignment's submissions"
        )
    if len(grades) != 1:
        called = f"called {column}" if column else "the one of the grade"
        there = ", ".join(repr(one_line(cell)) for cell in header)
        raise UserError(
            f"{one_line(table.name)}: nobody can tell which column is {called}; give its name with "
            f"--column (there are: {there})"
        )
    (grade,) = grades
    limits = {number(table.cell(row, grade + 1)) for row in people}
    if None in limits or len(limits) > 1:
        raise UserError(
            f"{one_line(table.name)}: the column after the grade is not the maximum grade; where "
            "this assignment is graded by a scale, let Moodle grade it by points"
        )
    # In a language that is not listed, the last column may be feedback, and is left alone.
    after = [n for n, cell in enumerate(header) if cell in _MODIFIED] or [len(header) - 1]
    fixed = "Grade can be changed"
    locked = {
        row: "locked in Moodle"
        for row in people
        if fixed in header and table.cell(row, header.index(fixed)) == "No"
    }
    return Columns(
        "Moodle",
        grade,
        ids=(0, *range(2, grade)),  # not the full name, which people may write as they like
        numbered=frozenset({0}),
        first=1,
        read_back=frozenset((0, grade, *range(after[0], len(header)))),
        most=limits.pop(),
        capped=True,
        locked=locked,
    )


def last_number(cell: str) -> str:
    """Return the digits that a cell ends in; empty where it ends in none."""
    found = re.search(r"[0-9]+\Z", cell)
    return found[0] if found else ""
