"""A person's page: everything about one person in the store, the gradebook and the verbs' files."""

import contextlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from markupsafe import Markup

from autograder.course.course import Course
from autograder.course.people import People
from autograder.marking.mark import counted
from autograder.records.errors import UserError
from autograder.records.homework import Homework
from autograder.records.marks import HandMarks, Mark
from autograder.reports import collected, sanitize, student_files
from autograder.staff.defence import keys, marked_sheets
from autograder.staff.desk.activity import requests
from autograder.staff.desk.classes import Classes, Entry, Person, read_entry
from autograder.staff.marking_page.answer_html import Reader
from autograder.staff.regrade_requests import Entry as Request
from autograder.staff.similar import table
from autograder.store import executed, files, log_summary

_WIDTH = 1_200


@dataclass(frozen=True)
class Attempt:
    """One submission: its entry, its time ("" if unknown), and whether it counts."""

    entry: Entry
    at: str
    counts: bool


@dataclass(frozen=True)
class Sheet:
    """One sheet of the defence.

    Args:
        page: Its file; None if the person got no sheet.
        why: The reason for that.
        result: The result; None if the sheet has not come back.
    """

    round: int
    page: Path | None
    why: str
    result: marked_sheets.MarkedSheet | None


@dataclass(frozen=True)
class Alike:
    """A pair of `similar`: the other submission, its address on that page, and the shared parts."""

    name: str
    id: str
    anchor: str
    words: str


@dataclass(frozen=True)
class Part:
    """A person's homework; everything is empty without a submission.

    Args:
        due: The due date for this person, in the course's time zone; "" without one.
        extended: Whether that is an extension.
        submitted: The time of submission; "" if unknown.
        marks: All marks, from people and the machine.
        items: Question -> the rubric's items, and whether the answer has each.
        attempts: All submissions if there are several; the one that counts comes first.
    """

    name: str
    entry: Entry | None
    due: str
    extended: bool
    submitted: str = ""
    marks: Sequence[Mark] = ()
    items: Mapping[str, Mapping[str, bool]] | None = None
    attempts: Sequence[Attempt] = ()
    sheets: Sequence[Sheet] = ()
    defence: marked_sheets.Defence | None = None
    alike: Sequence[Alike] = ()
    files: Collection[str] = ()
    requests: Sequence[Request] = ()


def parts(classes: Classes, person: Person, settings: Course, names: Sequence[str]) -> list[Part]:
    """Return a person's homeworks, those without a submission last."""
    found = [_part(classes, person, settings, name) for name in names]
    return sorted(found, key=lambda part: part.entry is None)


def _part(classes: Classes, person: Person, settings: Course, name: str) -> Part:
    entry, dates, due = person.entries.get(name), settings.homework.get(name), settings.due(name)
    own = [
        settings.moment(date)
        for id, date in (dates.extensions if dates else {}).items()
        if settings.id_of(id) == person.id
    ]
    until = max([*own, *([due] if due else [])], default=None)
    when = f"{until.astimezone(settings.zone):%Y-%m-%dT%H:%M}" if until else ""
    if entry is None:
        return Part(name, None, when, bool(own))
    given, folder = classes.given(name).get(entry.folder.name), entry.folder
    marks: Sequence[Mark] = ()
    with contextlib.suppress(UserError):
        marks = collected.one(folder, given)[0].marks
    defence = None
    with contextlib.suppress(UserError):
        defence = marked_sheets.read(folder)
    asked: Sequence[Request] = ()
    with contextlib.suppress(UserError):
        asked = requests.asked(folder.parent, person.id)
    return Part(
        name,
        entry,
        when,
        bool(own),
        _came(folder, settings),
        marks,
        given.items if given else {},
        _attempts(classes, person, settings, name, entry),
        list(sheets(classes, name, folder.name, defence)),
        defence,
        alike(folder.parent, folder.name, classes.roster()),
        {path.name for path in folder.iterdir()},
        asked,
    )


def _attempts(
    classes: Classes, person: Person, settings: Course, name: str, counted: Entry
) -> list[Attempt]:
    """Return all submissions of a homework, if there are several."""
    known = classes.roster()
    others = [
        read_entry(path)
        for place in classes.every_folder(name)
        for path in sorted(place.glob("[!.]*/"))
        if known.id_of(path.name) == person.id and path != counted.folder
        if any((path / file).is_file() for file in (files.GRADE, files.LOG, files.RESULTS))
    ]
    found = [counted, *others] if others else []
    return [Attempt(one, _came(one.folder, settings), one is counted) for one in found]


def sheets(
    classes: Classes, name: str, student: str, defence: marked_sheets.Defence | None = None
) -> Iterator[Sheet]:
    """Yield the sheets that `defend` made for a submission, in or beside the folder of results."""
    back = dict(defence.sheets) if defence else {}
    found: dict[int, tuple[Path | None, str]] = dict.fromkeys(back, (None, ""))
    for path in (
        *classes.out.glob("*/staff/key.json"),
        *classes.place(name).glob("*/staff/key.json"),
    ):
        with contextlib.suppress(UserError):
            key, folder = keys.read(path.parents[1]), path.parents[1]
            if key.homework == name and student in {**key.sheets, **key.none}:
                page = folder / student / "sheet.html"
                found[key.round] = page if page.is_file() else None, key.none.get(student, "")
    for round, (own, why) in sorted(found.items()):
        yield Sheet(round, own, why, back.get(round))


def alike(folder: Path, student: str, people: People) -> list[Alike]:
    """Return the pairs of `similar` that contain a submission."""
    found = []
    for place, row in enumerate(table.read(folder), start=1):
        sides = [(row.first, row.first_class), (row.second, row.second_class)]
        if (student, "") in sides:
            other, earlier = sides[1 - sides.index((student, ""))]
            words = f"likeness {row.likeness}, {counted(int(row.places), 'place')}"
            name = f"{other} ({earlier})" if earlier else other
            found.append(
                Alike(name, "" if earlier else people.id_of(other), f"pair-{place}", words)
            )
    return found


def report(folder: Path, given: HandMarks | None, homework: Homework, settings: Course) -> str:
    """Return a report with the current marks, which may be newer than the file.

    Raises:
        UserError: its facts or marks are unreadable, or grading did not finish.
    """
    grade, _ = collected.one(folder, given)
    if not grade.complete:
        raise UserError("grading did not finish")
    return student_files.current(folder, grade, given, homework, settings)[files.REPORT]


def cells(folder: Path, reader: Reader) -> list[Mapping[str, Any]]:
    """Return the cells of an executed notebook, with its texts as inert HTML."""
    found = executed.read_cells(folder)
    texts = [one.source for one in found if one.type == "markdown"]
    pages = iter(reader.markdown(texts) if texts else ())
    return [
        {
            "type": one.type,
            "source": one.source,
            "added": one.number,
            "html": Markup(next(pages)) if one.type == "markdown" else "",
            "outputs": [
                {"text": executed.text_of(output), "picture": _drawn(executed.picture_of(output))}
                for output in one.outputs
            ],
        }
        for one in found
    ]


def _drawn(picture: str | None) -> str | None:
    return sanitize.png(picture, width=_WIDTH) if picture else None


def _came(folder: Path, settings: Course) -> str:
    with contextlib.suppress(UserError, OSError):
        if (receipt := log_summary.read(folder).receipt) and receipt.at:
            return f"{receipt.at.astimezone(settings.zone):%Y-%m-%d %H:%M}"
    return ""
