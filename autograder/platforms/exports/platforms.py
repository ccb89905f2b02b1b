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
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from autograder.platforms.exports.csv_table import CsvTable, number
from autograder.records.codec import one_line
from autograder.records.errors import UserError

_CANVAS_IDS = ("ID", "SIS User ID", "SIS Login ID", "Integration ID")
_CANVAS_PEOPLE = (*_CANVAS_IDS, "Root Account", "Section")
_ASSIGNMENT = re.compile(r"(.*) \(([0-9]+)\)", re.DOTALL)
_TOTAL = re.compile(r"(?:.* )?(?:Current|Final|Override) (?:Score|Points|Grade)", re.DOTALL)
_TEST_STUDENT = ["Student", "Test"]
# `get_string('grade')` and `get_string('lastmodifiedgrade', 'assign')` in a few of its languages.
_GRADE = ("Grade", "Bewertung", "Note", "Calificación", "Valutazione", "Beoordeling", "Nota")
_MODIFIED = (
    "Last modified (grade)",
    "Zuletzt geändert (Bewertung)",
    "Dernière modification (note)",
    "Última modificación (calificación)",
)
_YES = set(
    "yes ja oui sí sì sim da tak так да ano áno igen evet ναι kyllä jah taip jā はい 是 예".split()
)
_NO = set(
    "no nein non nee não nu nie ні нет не ne nem hayır όχι ei nej nei nē いいえ 否 아니오 아니요".split()
)
_WORD = re.compile(r"[^\W\d_]+(?: [^\W\d_]+)?")
LISTED = 10


@dataclass(frozen=True)
class Columns:
    """What the columns of a table are.

    Args:
        platform: Its name.
        grade: The column that takes the mark.
        ids: Columns by which a line may say whose it is, the platform's own number first.
        numbered: Of these, the ones in which a number ends the text ("Participant 501").
        people: The lines of people.
        invented: Of these, those of nobody, such as Canvas's test student.
        read_back: Columns that the platform reads again: no text in them may change.
        most: What the platform takes at most; None where it is not known.
        capped: Whether it drops a mark above that, or below 0, without a word.
        locked: Lines whose mark cannot be changed there, by number: what to say of each.
        sign: What its marks have before the decimals.
    """

    platform: str
    grade: int
    ids: tuple[int, ...]
    numbered: frozenset[int]
    people: tuple[int, ...]
    invented: frozenset[int]
    read_back: frozenset[int]
    most: float | None
    capped: bool
    locked: dict[int, str]
    sign: str


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
    section = max(header.index(name) for name in _CANVAS_PEOPLE if name in header)
    ids = tuple(header.index(name) for name in _CANVAS_IDS if name in header)
    lines = range(1, len(table.lines))
    points = [row for row in lines if "points possible" in table.cell(row, 0).casefold()]
    possible = points[0] if points else None
    named = range(1 + (header[0] == "LastName"))
    people = tuple(
        row
        for row in lines
        if row not in points and any(table.cell(row, n) for n in (*named, *ids))
    )
    after = range(section + 1, len(header))
    shown = {n for n in after if possible is not None and "read only" in table.cell(possible, n)}
    sure = [n for n in _assignments(table, after, possible) if n not in shown]
    marks = sure or [n for n in after if n not in shown and not _TOTAL.fullmatch(header[n])]
    grade = _chosen(table, after, marks, people, titles, column)
    if grade in shown:
        raise _refused(table, grade, marks, "is only shown by Canvas and takes no marks")
    sign = table.decimal_sign({*sure, grade})
    excused = {"EX": "excused in Canvas", "N/A": "not assigned to this person in Canvas"}
    return Columns(
        "Canvas",
        grade,
        ids,
        numbered=frozenset(),
        people=people,
        invented=frozenset(
            row
            for row in people
            if ",".join(table.cell(row, n) for n in named).replace(" ", "").split(",")
            == _TEST_STUDENT
        ),
        read_back=frozenset((*ids, *after)),
        most=None if possible is None else number(table.cell(possible, grade), sign),
        capped=False,
        locked={
            row: excused[table.cell(row, grade).upper()]
            for row in people
            if table.cell(row, grade).upper() in excused
        },
        sign=sign,
    )


def _assignments(table: CsvTable, after: Sequence[int], possible: int | None) -> list[int]:
    """Return the columns that are assignments for sure, not texts of a course's own or totals.

    Canvas writes a number behind each title, and other programs what an assignment is worth.
    """
    return [
        n
        for n in after
        if _ASSIGNMENT.fullmatch(table.cell(0, n))
        or (possible is not None and number(table.cell(possible, n)) is not None)
    ]


def _chosen(
    table: CsvTable,
    after: Sequence[int],
    marks: Sequence[int],
    people: Sequence[int],
    titles: Sequence[str],
    column: str,
) -> int:
    """Return the assignment's column: by its whole title, without its number, or by that alone."""
    wanted = {_folded(name) for name in ([column] if column else titles)}
    names = {n: _ASSIGNMENT.fullmatch(table.cell(0, n)) or [table.cell(0, n)] * 3 for n in after}
    parts = ([n for n in after if _folded(names[n][part]) in wanted] for part in (0, 1, 2))
    found = next(filter(None, parts), [])
    found = [n for n in found if n in marks] or found
    if len(found) != 1:
        which = f"{len(found)} columns are" if found else "no column is"
        raise UserError(
            f"{one_line(table.name)}: {which} called {one_line(column or ' or '.join(titles))}; give "
            f"one with --column (there are: {_listed(table, marks)})"
        )
    (grade,) = found
    texts = [table.cell(row, grade) for row in people]
    if any(number(text) is None for text in texts if text.upper() not in ("", "-", "EX", "N/A")):
        raise _refused(table, grade, marks, "has texts in it and no marks")
    return grade


def _refused(table: CsvTable, grade: int, marks: Sequence[int], why: str) -> UserError:
    return UserError(
        f"{one_line(table.name)}: the column '{one_line(table.cell(0, grade))}' {why}; give a "
        f"different one with --column (there are: {_listed(table, marks)})"
    )


def _folded(title: str) -> str:
    return " ".join(unicodedata.normalize("NFC", title).casefold().split())


def _listed(table: CsvTable, columns: Sequence[int]) -> str:
    """Return titles as they are in the file; the first, and how many more there are."""
    titles = ", ".join(f"'{one_line(table.cell(0, n))}'" for n in columns[:LISTED])
    more = f" and {len(columns) - LISTED} more" if len(columns) > LISTED else ""
    return (titles or "none") + more


def moodle(table: CsvTable, *, column: str = "") -> Columns:
    """Return what the columns of Moodle's grading worksheet are.

    Args:
        table: What `Download grading worksheet` gave.
        column: What the column of the grade is called, where nobody can tell it.

    Raises:
        UserError: it is no such file, or its marks are words of a scale.
    """
    header = [cell.strip() for cell in table.header]
    columns = range(len(header))
    people = tuple(
        row for row in range(1, len(table.lines)) if any(table.cell(row, n) for n in columns)
    )
    if not people or not all(last_number(table.cell(row, 0)) for row in people):
        raise UserError(
            f"{one_line(table.name)}: this is not a grading worksheet of Moodle, whose first column "
            "has identifiers such as Participant 501; download it from the assignment's submissions"
        )
    wanted = [_folded(name) for name in ([column] if column else _GRADE)]
    grades = [n for n in columns if _folded(header[n]) in wanted]
    if not grades and not column:  # in a language that is not listed
        grades = [n for n in columns[1:] if _is_grade(table, n, people)]
    if len(grades) != 1:
        called = f"called {one_line(column)}" if column else "the one of the grade"
        raise UserError(
            f"{one_line(table.name)}: nobody can tell which column is {called}; give its name with "
            f"--column (there are: {', '.join(repr(one_line(cell)) for cell in header)})"
        )
    (grade,) = grades
    beside = _texts(table, grade + 1, people)
    limits = {number(text) for text in beside}
    if len(limits) > 1 or not (None not in limits or beside <= {"", "-"} | _YES | _NO):
        raise UserError(
            f"{one_line(table.name)}: the column after the grade is not the maximum grade; where "
            "this assignment is graded by a scale, let Moodle grade it by points"
        )
    sign = table.decimal_sign([grade] if None in limits else [grade, grade + 1])
    after = [n for n in columns if header[n] in _MODIFIED] or [len(header) - 1]
    locks = [n for n in range(grade + 1, grade + 4) if _texts(table, n, people) <= _YES | _NO]
    if not locks and None not in limits:  # it is in a language that is not listed
        locks = [n for n in (grade + 2,) if all(map(_WORD.fullmatch, _texts(table, n, people)))]
    return Columns(
        "Moodle",
        grade,
        ids=(0, *range(2, grade)),  # not the full name, which people may write as they like
        numbered=frozenset({0}),
        people=people,
        invented=frozenset(),
        read_back=frozenset((0, grade, *range(after[0], len(header)))),
        most=next((number(text, sign) for text in beside), None),
        capped=True,
        locked={
            row: _lock(table.cell(row, n))
            for n in locks[:1]
            for row in people
            if table.cell(row, n).casefold() not in _YES
        },
        sign=sign,
    )


def _lock(said: str) -> str:
    """Say why a mark stays as it is, from what is written where a mark can be changed or not."""
    if said.casefold() in _NO:
        return "locked in Moodle"
    return (
        f"nobody can tell whether {one_line(said)!r} is yes or no where the worksheet shows whether "
        "a mark can be changed; download it in English"
    )


def _is_grade(table: CsvTable, column: int, people: Sequence[int]) -> bool:
    """Whether a column has marks or nothing, and the next one the same number for everybody."""
    beside = _texts(table, column + 1, people)
    marks = _texts(table, column, people) - {"", "-"}
    return (
        len(beside) == 1
        and all(number(text) is not None for text in beside)
        and all(number(text) is not None for text in marks)
    )


def _texts(table: CsvTable, column: int, people: Iterable[int]) -> set[str]:
    return {table.cell(row, column).casefold() for row in people}


def last_number(cell: str) -> str:
    """Return the digits that a cell ends in; empty where it ends in none."""
    found = re.search(r"[0-9]+\Z", cell)
    return found[0] if found else ""
