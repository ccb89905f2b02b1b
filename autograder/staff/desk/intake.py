"""Describe an uploaded export or roster: its kind, its contents, and any oddities."""

import codecs
import contextlib
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
from autograder.records.codec import safe
from autograder.records.errors import UserError
from autograder.reports.tables import csv_of
from autograder.store import files
from autograder.submission import discover, reading

MOST_BYTES = 4_000_000_000
"""The most bytes of an upload: enough for a thousand notebooks with data beside them."""
_LONGEST_ENDING = 16
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
    "first name": (r"first ?name|vorname",),
    "last name": (r"(last|sur) ?name|nachname",),
    "email": (r"e-?mail( address)?",),
    "login": (r"sis login id|login|username",),
    "canvas": ("id",),
    "moodle": ("identifier",),
    "section": (r"sections?( name)?",),
}
"""roster.csv's column -> the platforms' names for it."""
_INSTEAD = ("id", "login", "email", "canvas")
"""Columns whose first value is a person's id: guests have no student number."""
_NOBODY = re.compile("points possible|test student", re.IGNORECASE)
"""Names in lines of Canvas's gradebook that are not of a person."""


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


def absolute(typed: str) -> Path:
    """Return a path as a person typed it: from the folder where the desk runs, or below `~`."""
    path = Path(typed.strip())
    with contextlib.suppress(RuntimeError):  # nobody here has the name after `~`
        path = path.expanduser()
    return path.absolute()


def kept_name(dropped: str) -> str:
    """Return a safe name for a dropped file; its ending, which shows what it is, stays."""
    path = Path(Path(dropped).name)
    if path.suffix[1:].isalnum() and len(path.suffix) <= _LONGEST_ENDING:
        return f"{safe(path.stem)}{path.suffix}"
    return safe(path.name)


def look(root: Path, name: str, typed: str, out: Path) -> Look:
    """Return a homework's submissions in a file or folder, without running any.

    Raises:
        UserError: there is no such file, or it is empty.
    """
    path = absolute(typed)
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
            an id, with the names in them.
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
        UserError: it is not such a list, no column has ids, or nobody is in it.
    """
    path = absolute(typed)
    text, left_out = _text(path), list[str]()
    if not _is_roster(text):
        try:
            text, left_out = _of_platform(text)
        except csv.Error as error:
            raise UserError(f"{path.name}: it is not a CSV file ({error})") from error
    found = people.parsed(text)
    if not found:
        raise UserError(f"{path.name}: nobody is in this list; export it again with its people")
    known = set()
    with contextlib.suppress(UserError):  # if the current roster is broken, all are new
        known = {one.id for one in people.roster(root)}
    new = sum(one.id not in known for one in found)
    return Roster(text, list(found), new, left_out, not (root / people.FILE).is_file())


def _text(path: Path) -> str:
    """Return the text of a table; raise UserError if it is unreadable or in another encoding."""
    try:
        data = path.read_bytes()
        return data.decode("utf-8-sig").lstrip("\ufeff")
    except OSError as error:
        why = error.strerror
    except UnicodeError:
        why = _why_not(data)
    raise UserError(f"{path.name}: it is not a CSV file in UTF-8 ({why})")


def _why_not(data: bytes) -> str:
    """Return what a file is that is not text in UTF-8."""
    wide = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    if b"\0" in data and not wide:
        return "choose a table, not a zip, a workbook or a notebook"
    encoding = "in UTF-16" if wide else "probably in Windows-1252"
    return f"it is {encoding}; in Excel, save it as 'CSV UTF-8'"


def keep_roster(root: Path, text: str) -> None:
    """Write roster.csv, and keep the previous one as roster.csv.before."""
    path = root / people.FILE
    if path.is_file():
        files.write_bytes(path.with_name(f"{people.FILE}.before"), path.read_bytes())
    files.write(path, text, lasting=True)


def _is_roster(text: str) -> bool:
    """Return whether a list has the form of roster.csv; Canvas calls its own numbers "ID"."""
    titles = people.titles(text)
    canvas = titles[:1] == ["student"] or (
        titles[:1] == ["lastname"] and any(title.startswith("sis ") for title in titles)
    )
    return "id" in titles and not canvas


def _of_platform(text: str) -> tuple[str, list[str]]:
    """Return a platform's list of people with roster.csv's columns, and what has no place there."""
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=people.delimiter(text))
    rows, names = list(reader), reader.fieldnames or ()
    places = _places([name for name in names if any(_cell(row, "", name) for row in rows)])
    if rows and not places.keys() & {"id", "email"}:
        raise UserError(
            "no column of this list has ids; it needs one called id, or SIS User ID, Student "
            "number, Username or Email"
        )
    places.setdefault("id", places.get("email", ""))
    own = [one for one in _KEPT if places.get(one, places["id"]) != places["id"] or one == "email"]
    own = [one for one in own if one in places]
    instead = [places[one] for one in _INSTEAD if one in places]
    kept, without = [], []
    for row in rows:
        id = next(filter(None, (_cell(row, "id", called) for called in instead)), "")
        name = _called(row, places)
        if id and not _NOBODY.fullmatch(name):
            kept.append([id, *(_cell(row, one, places[one]) for one in own)])
        else:
            without.append(name)
    left_out = []
    if without:
        whose = [name for name in without if name and not _NOBODY.fullmatch(name)][:LEFT_OUT]
        named = f" ({', '.join(whose)})" * bool(whose)
        left_out.append(f"{counted(len(without), 'line')} without an id{named}")
    others = [name.strip() for name in names if name not in places.values()]
    left_out += [f"column {name}" for name in others[:LEFT_OUT] if name]
    left_out += [f"{len(others) - LEFT_OUT} more columns"] * (len(others) > LEFT_OUT)
    return csv_of([("id", *own), *kept]), left_out


def _places(names: Sequence[str]) -> dict[str, str]:
    """Return the name in a list of each of roster.csv's columns that it has."""
    places: dict[str, str] = {}
    for column, patterns in _COLUMNS.items():
        for pattern in patterns:  # names are in order of preference, wherever their columns are
            for name in names:
                if re.fullmatch(pattern, name.strip(), re.IGNORECASE):
                    places.setdefault(column, name)
    return places


def _called(row: Mapping[str, str | None], places: Mapping[str, str]) -> str:
    """Return a person's name, from one column or two."""
    parts = [_cell(row, one, places.get(one, "")) for one in ("first name", "last name")]
    return _cell(row, "name", places.get("name", "")) or " ".join(filter(None, parts))


def _cell(row: Mapping[str, str | None], column: str, called: str) -> str:
    """Return a cell; turn around a name that Canvas writes with the last name first."""
    cell = (row.get(called) or "").strip()
    last, comma, first = cell.partition(", ")
    return f"{first} {last}" if comma and column == "name" else cell
