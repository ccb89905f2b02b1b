"""Moodle: the owners of its exported files, its grading worksheet, and the zip of feedback for it.

The worksheet: mod/assign/gradingtable.php, mod/assign/feedback/offline/importgradeslib.php and
locallib.php of moodle/moodle. The first column is the "Identifier", such as "Participant 501";
"Maximum grade" follows "Grade"; text that students wrote may come before "Last modified (grade)",
and the columns after that are feedback. The importer reads back identifier, grade, that date and
feedback, and silently skips grades above the maximum ("Out of range"). Feedback:
`is_valid_filename_for_import` of mod/assign/feedback/file/importziplib.php: "Expected format for
the directory names in $pathpart is fullname_userid_plugintype_pluginname"; it takes the id between
the first underscores, which is the participant's number, and what follows the plugin as the file's
name. It ignores the full name, so none is written.
"""

import contextlib
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from autograder.course.timestamps import moment
from autograder.platforms.csv_table import Columns, CsvTable, folded, last_number, number
from autograder.platforms.feedback_files import packed
from autograder.records.codec import one_line
from autograder.records.errors import UserError
from autograder.submission.platform import Platform, Times

_NAMES = re.compile(
    r"(?P<name>.+?)_(?P<id>[0-9]+)_assignsubmission_[a-z]+_?(?P<file>.*)", re.DOTALL
)
# Moodle's grading worksheet (mod/assign/lang/en/assign.php, 'lastmodifiedsubmission'), whose dates
# are those of lang/en/langconfig.php, 'strftimedaydatetime': Thursday, 5 March 2026, 5:06 PM.
_SUBMITTED = "Last modified (submission)"
_DATES = ("%A, %d %B %Y, %I:%M %p", "%A, %d %B %Y, %H:%M", "%A, %B %d, %Y, %I:%M %p")
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


def columns(table: CsvTable, *, column: str = "") -> Columns:
    """Return the columns of Moodle's grading worksheet.

    Args:
        table: The table from `Download grading worksheet`.
        column: The name of the grade column, if it is unclear.

    Raises:
        UserError: it is not such a file, or its marks are words of a scale.

    """
    header = table.header
    places = range(len(header))
    people = tuple(
        row for row in range(1, len(table.lines)) if any(table.cell(row, n) for n in places)
    )
    if not people or not all(last_number(table.cell(row, 0)) for row in people):
        raise UserError(
            f"{one_line(table.name)}: this is not a Moodle grading worksheet, whose "
            "first column has identifiers such as Participant 501; download it from the "
            "assignment's submissions"
        )
    wanted = [folded(name) for name in ([column] if column else _GRADE)]
    grades = [n for n in places if folded(header[n]) in wanted]
    if not grades and not column:  # in an unlisted language
        grades = [n for n in places[1:] if _is_grade(table, n, people)]
    if len(grades) != 1:
        called = f"called {one_line(column)}" if column else "the grade"
        raise UserError(
            f"{one_line(table.name)}: it is unclear which column is {called}; give its "
            "name with --column (the file has: "
            f"{', '.join(repr(one_line(cell)) for cell in header)})"
        )
    (grade,) = grades
    beside = _texts(table, grade + 1, people)
    limits = {number(text) for text in beside}
    if len(limits) > 1 or not (None not in limits or beside <= {"", "-"} | _YES | _NO):
        raise UserError(
            f"{one_line(table.name)}: the column after the grade is not the maximum "
            "grade; if this assignment uses a scale, switch it to points in Moodle"
        )
    sign = table.decimal_sign([grade] if None in limits else [grade, grade + 1])
    after = [n for n in places if header[n] in _MODIFIED] or [len(header) - 1]
    locks = [n for n in range(grade + 1, grade + 4) if _texts(table, n, people) <= _YES | _NO]
    if not locks and None not in limits:  # it is in an unlisted language
        locks = [n for n in (grade + 2,) if all(map(_WORD.fullmatch, _texts(table, n, people)))]
    return Columns(
        "Moodle",
        grade,
        ids=(0, *range(2, grade)),  # not the full name, since people may change theirs
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
    """Return why a mark must stay, from the cell that shows whether it can be changed."""
    if said.casefold() in _NO:
        return "locked in Moodle"
    return (
        f"it is unclear whether {one_line(said)!r} is yes or no in the worksheet's "
        "column on changeable marks; download it in English"
    )


def _is_grade(table: CsvTable, column: int, people: Sequence[int]) -> bool:
    """Return whether a column has only marks or blanks, and the next the same number for all."""
    beside = _texts(table, column + 1, people)
    marks = _texts(table, column, people) - {"", "-"}
    return (
        len(beside) == 1
        and all(number(text) is not None for text in beside)
        and all(number(text) is not None for text in marks)
    )


def _texts(table: CsvTable, column: int, people: Iterable[int]) -> set[str]:
    return {table.cell(row, column).casefold() for row in people}


def submitted(text: str, zone: str) -> datetime:
    """Return the moment in a cell of the worksheet; raise ValueError if there is none."""
    for form in _DATES:
        with contextlib.suppress(ValueError):
            text = f"{datetime.strptime(text.strip(), form):%Y-%m-%d %H:%M}"
    return moment(text, zone=zone)


def feedback(pages: Mapping[str, bytes]) -> bytes:
    """Return a zip of pages, given by the participants' numbers."""
    return packed({f"Participant_{n}_assignfeedback_file_report.html": p for n, p in pages.items()})


PLATFORM = Platform(
    names=_NAMES,
    folders=True,
    times=Times("Moodle's grading worksheet in English", _SUBMITTED, submitted),
)
