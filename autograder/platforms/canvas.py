"""Canvas: the owners of its exported files, its gradebook, and the zip of feedback for it.

The gradebook: lib/gradebook_exporter.rb and lib/gradebook_importer.rb of instructure/canvas-lms.
The header is "Student" (or "LastName", "FirstName"), "ID", "SIS User ID", "SIS Login ID",
"Integration ID", "Root Account", "Section", custom columns, then each assignment as "Title (4711)",
then totals. A line of "Manual Posting" may follow, then the line that begins with " Points
Possible", where read-only columns have "(read only)". The importer finds a person by `row[1]`
("second or third column in the csv should have the student_id"), takes "EX" for excused, and reads
back custom columns and assignments. Feedback: `infer_comment_context_from_filename` of
app/models/abstract_assignment.rb: the first two numbers between underscores are the person's and
the upload's (for an anonymous person, "anon" and two words), and the upload must belong to that
person's submission. The file is then shown under the name of that upload ("display_name:
attachment.display_name"): feedback on a notebook is therefore a notebook.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from autograder.platforms.csv_table import Columns, CsvTable, folded, number
from autograder.platforms.feedback_files import packed
from autograder.records.codec import one_line
from autograder.records.errors import UserError
from autograder.submission.archives import listing
from autograder.submission.opening import given
from autograder.submission.platform import Platform

# Name, LATE, id of the person, id of the upload, name of the file. The first numbers count:
# everything after them comes from the student. An anonymous person has no name.
_NAMES = re.compile(
    r"(?:(?:LATE_)?(?P<anonymous>anon_[A-Za-z0-9]+)|(?P<name>.*?)_(?:LATE_)?(?P<id>[0-9]+))"
    r"_(?:(?P<upload>[0-9]{1,18})_(?P<file>.+)|(?:text|link)\.html)",
    re.DOTALL,
)
_LATE = re.compile("_?LATE_")  # follows the name
_IDS = ("ID", "SIS User ID", "SIS Login ID", "Integration ID")
_PEOPLE = (*_IDS, "Root Account", "Section")
_ASSIGNMENT = re.compile(r"(.*) \(([0-9]+)\)", re.DOTALL)
_TOTAL = re.compile(r"(?:.* )?(?:Current|Final|Override) (?:Score|Points|Grade)", re.DOTALL)
_TEST_STUDENT = ["Student", "Test"]
LISTED = 10


def columns(table: CsvTable, *, titles: Sequence[str], column: str = "") -> Columns:
    """Return the columns of Canvas's gradebook.

    Args:
        table: The table from `Export Entire Gradebook`.
        titles: Possible titles of the assignment.
        column: The assignment's title or number, if a person gave it.

    Raises:
        UserError: it is not such a file, or the assignment is unclear.

    """
    header = table.header
    if header[:1] not in (["Student"], ["LastName"]) or "ID" not in header[:4]:
        raise UserError(
            f"{one_line(table.name)}: this is not a Canvas gradebook, whose first line "
            "begins with Student,ID; export it with Grades > Export > Export Entire "
            "Gradebook"
        )
    section = max(header.index(name) for name in _PEOPLE if name in header)
    ids = tuple(header.index(name) for name in _IDS if name in header)
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
        raise _refused(table, grade, marks, "is read-only in Canvas and takes no marks")
    sign = table.decimal_sign({*sure, grade})
    marks_of = {row: table.cell(row, grade).upper() for row in people}
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
        locked={row: excused[mark] for row, mark in marks_of.items() if mark in excused},
        sign=sign,
    )


def _assignments(table: CsvTable, after: Sequence[int], possible: int | None) -> list[int]:
    """Return the columns that are certainly assignments, not custom texts or totals.

    Canvas adds a number to each title; other programs add an assignment's points.
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
    """Return the assignment's column by its number or by its title, with or without the number."""
    wanted = {folded(name) for name in ([column] if column else titles)}
    names = {n: _ASSIGNMENT.fullmatch(table.cell(0, n)) or [table.cell(0, n)] * 3 for n in after}
    parts = ([n for n in after if folded(names[n][part]) in wanted] for part in (0, 1, 2))
    found = next(filter(None, parts), [])
    found = [n for n in found if n in marks] or found
    if len(found) != 1:
        which = f"{len(found)} columns are" if found else "no column is"
        raise UserError(
            f"{one_line(table.name)}: {which} called "
            f"{one_line(column or ' or '.join(titles))}; choose one with --column (the "
            f"file has: {_listed(table, marks)})"
        )
    (grade,) = found
    texts = [table.cell(row, grade) for row in people]
    if any(number(text) is None for text in texts if text.upper() not in ("", "-", "EX", "N/A")):
        raise _refused(table, grade, marks, "contains texts instead of marks")
    return grade


def _refused(table: CsvTable, grade: int, marks: Sequence[int], why: str) -> UserError:
    return UserError(
        f"{one_line(table.name)}: the column '{one_line(table.cell(0, grade))}' {why}; "
        f"choose a different one with --column (the file has: {_listed(table, marks)})"
    )


def _listed(table: CsvTable, columns: Sequence[int]) -> str:
    """Return the first few titles as the file spells them, and how many more there are."""
    titles = ", ".join(f"'{one_line(table.cell(0, n))}'" for n in columns[:LISTED])
    more = f" and {len(columns) - LISTED} more" if len(columns) > LISTED else ""
    return (titles or "none") + more


def uploads(submissions: Path) -> dict[str, str]:
    """Return the prefix in Canvas's file names for each person's newest exported notebook.

    Args:
        submissions: The folder or zip from `Download Submissions`.

    Returns:
        Canvas's id of a person -> the prefix of file names about that upload.

    """
    newest: dict[str, tuple[int, str]] = {}
    for files in listing(given(submissions.resolve())).values():
        for file in files:
            match = _NAMES.fullmatch(file.name)
            if not match or not match["upload"] or not match["file"].lower().endswith(".ipynb"):
                continue
            who, upload = match["id"] or match["anonymous"], match["upload"]
            start = f"student_{who}_{upload}" if match["id"] else f"{who}_{upload}"
            newest[who] = max(newest.get(who, (0, "")), (int(upload), start))
    return {who: start for who, (_, start) in newest.items()}


def feedback(notebooks: Mapping[str, str]) -> bytes:
    """Return a zip of notebooks, given by the prefixes that `uploads` returns."""
    return packed({f"{start}_feedback.ipynb": text.encode() for start, text in notebooks.items()})


PLATFORM = Platform(called=re.compile("submissions"), names=_NAMES, late=_LATE)
