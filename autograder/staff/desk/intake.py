"""Describe an uploaded export or roster: its kind, its contents, and any oddities."""

import csv
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograder.course import course, homework, people
from autograder.grading import selection
from autograder.marking import lateness
from autograder.marking.mark import counted
from autograder.records.errors import UserError
from autograder.reports.tables import csv_of
from autograder.store import files
from autograder.submission import discover, reading

MOST_BYTES = 4_000_000_000
"""The most bytes of an upload: enough for a thousand notebooks with data beside them."""
SHOWN = 60
LEFT_OUT = 6
_KEPT = ("name", "first name", "last name", "email", "login", "canvas", "moodle", "section")
READ = 1_000
"""The most submissions of an export to open before anything runs."""
_COLUMNS = {
    "id": (
        r"sis user id|sis id",
        r"student ?number|matriculation( number)?|id ?number",
        r"sid|username|sis login id|login",
    ),
    "name": (r"student", r"(full )?name"),
    "first name": (r"first ?name",),
    "last name": (r"(last|sur) ?name|surname",),
    "email": (r"e-?mail( address)?",),
    "login": (r"sis login id|login|username",),
    "canvas": ("id",),
    "moodle": ("identifier",),
    "section": (r"sections?( name)?",),
}
"""roster.csv's column -> the platforms' names for it."""


@dataclass(frozen=True)
class Arrived:
    """One submission: its owner, its file's name, and anything odd about it."""

    id: str
    name: str
    file: str
    odd: Sequence[str]


@dataclass(frozen=True)
class Look:
    """The contents of a file or folder, before anything runs.

    Args:
        found: The submissions, odd ones first.
        again: How many already have results here.
        missing: People in the roster without a submission, here or among the results.
        due: Whether the homework has a due date.
    """

    homework: str
    path: Path
    found: Sequence[Arrived]
    again: int
    complaints: Sequence[str]
    notes: Sequence[str]
    missing: Sequence[people.Person]
    due: bool


def look(root: Path, name: str, typed: str, out: Path) -> Look:
    """Return a homework's submissions in a file or folder, without running any.

    Raises:
        UserError: there is no such file, or it is empty.
    """
    path = Path(typed.strip()).expanduser()
    if not typed.strip():
        raise UserError("choose a file, or type its path")
    if not path.exists():
        raise UserError(f"{path}: there is no such file or folder on this machine")
    settings, known, chosen = course.read(root), people.roster(root), homework.load(root, name)
    rest: Any = dict.fromkeys(("people_list", "times_list", "limit"))
    rest |= {"commit": "due", "only": ()}
    picked = selection.select(root, chosen, settings, known, [path], out, **rest)
    students = [item.student for item in picked.found]
    there = set(map(known.id_of, students))
    graded = {known.id_of(one.name) for one in out.glob("[!.]*/")}
    listed = set(selection.beside_the_roster(students, known))

    def arrived(one: discover.Found, *, read: bool) -> Arrived:
        odd = [] if not known or known.in_folder(one.student) else ["not in roster.csv"]
        if late := lateness.lateness(one.receipt, settings, name):
            odd.append(str(late))
        elif one.receipt and one.receipt.late:
            odd.append("late, says the platform")
        try:
            if one.unusable:
                raise UserError(one.unusable.why)
            if read:
                reading.read(one, chosen)
        except UserError as error:
            odd.append(f"cannot be graded: {error}")
        whose = known.id_of(one.student), known.name_of(one.student)
        return Arrived(*whose, Path(str(one.path)).name, odd)

    found = [arrived(one, read=place < READ) for place, one in enumerate(picked.found)]
    return Look(
        name,
        path,
        sorted(found, key=lambda one: not one.odd),
        sum((out / student).is_dir() for student in students),
        picked.complaints,
        [note for note in picked.notes if note not in listed],
        [one for one in known if one.id not in there | graded],
        settings.due(name) is not None,
    )


@dataclass(frozen=True)
class Roster:
    """A roster in roster.csv's own form.

    Args:
        new: How many are missing from the current roster.
        left_out: Columns of a platform's list that have no place in roster.csv, and lines without
            an id.
        is_first: Whether there is no roster yet.
    """

    text: str
    people: Sequence[people.Person]
    new: int
    left_out: Sequence[str]
    is_first: bool


def roster(root: Path, typed: str) -> Roster:
    """Return a list of people in the form of roster.csv.

    A platform's list is recognised by its columns; a file in the form of roster.csv stays as it is.

    Raises:
        UserError: it is not such a list, or no column has ids.
    """
    path = Path(typed.strip()).expanduser()
    try:
        text = path.read_text(encoding="utf-8-sig").lstrip("\ufeff")
    except (OSError, UnicodeError) as error:
        why = (
            error.strerror
            if isinstance(error, OSError)
            else "choose a table, not a zip or a notebook"
        )
        raise UserError(f"{path.name}: it is not a CSV file in UTF-8 ({why})") from error
    left_out: list[str] = []
    try:
        # Canvas calls its own numbers "ID"; no other platform's table with "Student" does.
        if re.match(r'"?student"?[,;\t]', text, re.IGNORECASE):
            raise UserError("it is a platform's list, not a roster.csv")
        found = people.parsed(text)
    except UserError:
        text = _of_platform(text, left_out)
        found = people.parsed(text)
    known = {one.id for one in people.roster(root)}
    new = sum(one.id not in known for one in found)
    return Roster(text, list(found), new, left_out, not (root / people.FILE).is_file())


def keep_roster(root: Path, text: str) -> None:
    """Write roster.csv, and keep the previous one as roster.csv.before."""
    path = root / people.FILE
    if path.is_file():
        before = path.read_text(encoding="utf-8-sig")
        files.write(path.with_name(f"{people.FILE}.before"), before)
    files.write(path, text, lasting=True)


def _of_platform(text: str, left_out: list[str]) -> str:
    """Return a platform's list of people with roster.csv's columns."""
    rows = csv.DictReader(io.StringIO(text), delimiter=people.delimiter(text))
    places: dict[str, str] = {}
    for column, patterns in _COLUMNS.items():
        for pattern in patterns:  # names are in order of preference, wherever their columns are
            for name in rows.fieldnames or ():
                if re.fullmatch(pattern, name.strip(), re.IGNORECASE):
                    places.setdefault(column, name)
    if not places.keys() & {"id", "email"}:
        raise UserError(
            "no column of this list has ids; it needs one called id, or SIS User ID, Student "
            "number, Username or Email"
        )
    places.setdefault("id", places.get("email", ""))
    own = [one for one in _KEPT if places.get(one, places["id"]) != places["id"] or one == "email"]
    own = [one for one in own if one in places]
    columns = ("id", *own)
    lines = [[_cell(row, column, places[column]) for column in columns] for row in rows]
    kept = [line for line in lines if line[0]]
    if without := len(lines) - len(kept):
        left_out.append(f"{counted(without, 'line')} without an id")
    named = [name.strip() for name in rows.fieldnames or () if name not in places.values()]
    left_out += [f"column {name}" for name in named[:LEFT_OUT] if name]
    left_out += [f"{len(named) - LEFT_OUT} more columns"] * (len(named) > LEFT_OUT)
    return csv_of([columns, *kept])


def _cell(row: Mapping[str, str | None], column: str, called: str) -> str:
    """Return a cell; turn around a name that Canvas writes with the last name first."""
    cell = (row.get(called) or "").strip()
    last, comma, first = cell.partition(", ")
    return f"{first} {last}" if comma and column == "name" else cell
