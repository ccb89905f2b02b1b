"""Every change of a mark by people or a regrade: who, when, from, to and why."""

from collections.abc import Mapping
from dataclasses import astuple, dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from autograder.course.people import People
from autograder.marking.mark import number
from autograder.records.errors import UserError
from autograder.reports.tables import csv_of, text
from autograder.staff import regrade_requests
from autograder.staff.marking_page.marks import changes
from autograder.staff.marking_page.marks.connection import Gradebook, connect
from autograder.store import mark_changes

_TOGETHER = timedelta(minutes=10)
"""The most time between two changes that are shown as one."""
COLUMNS = ("when", "who", "homework", "student", "what", "from", "to", "why")


@dataclass(frozen=True)
class Line:
    """One change; `when` is in the course's time zone."""

    when: str
    who: str
    homework: str
    student: str
    what: str
    before: str
    after: str
    why: str


def lines(
    folders: Mapping[str, Path], people: People, zone: ZoneInfo, gradebook: Gradebook
) -> list[Line]:
    """Return all changes in the homeworks' folders and in a gradebook that may exist, newest first."""
    found = [
        Line(one.at.replace("T", " ")[:19], one.by, name, *astuple(one)[2:])
        for name, folder in folders.items()
        for one in mark_changes.read(folder)
    ]
    found += _by_hand(gradebook, people, zone)
    for name, folder in folders.items():
        found += _decisions(name, folder)
    found.reverse()  # newest first, even within one second
    return sorted(found, key=lambda line: line.when, reverse=True)


def table(found: list[Line]) -> str:
    """Return changes as CSV."""
    return csv_of([COLUMNS, *([text(cell) for cell in astuple(one)] for one in found)])


def _by_hand(gradebook: Gradebook, people: People, zone: ZoneInfo) -> list[Line]:
    try:
        engine = connect(gradebook)
    except UserError:
        return []
    try:
        found: list[Line] = []
        for row, whose, before, after in changes.history(engine):
            when = f"{datetime.fromtimestamp(row.at, zone):%Y-%m-%d %H:%M:%S}"
            what = row.homework, people.id_of(people.folder(whose)), row.question
            why = f"{row.what}{' (undone later)' * row.undone}"
            add(found, Line(when, row.marker, *what, _points(before), _points(after), why))
        return found
    finally:
        engine.dispose()


def add(found: list[Line], line: Line) -> None:
    """Add a change; consecutive items from one marker on one answer become a single change."""
    last = found[-1] if found else line
    same = ("who", "homework", "student", "what")
    if (
        found
        and all(getattr(last, name) == getattr(line, name) for name in same)
        and datetime.fromisoformat(line.when) - datetime.fromisoformat(last.when) <= _TOGETHER
        and "undone" not in last.why + line.why
    ):
        why = line.why if line.why == last.why else f"{last.why}; {line.why}"
        found[-1] = replace(line, before=last.before, why=why)
    else:
        found.append(line)


def _decisions(name: str, folder: Path) -> list[Line]:
    found = []
    for entry in regrade_requests.entries(folder / regrade_requests.FILE):
        for decision in entry.decisions.splitlines():
            asked, marks = entry.request, (_points(entry.before), _points(entry.now))
            who, why = decision[17:].partition(":")[0], f"request {entry.number}: {decision[17:]}"
            found.append(Line(decision[:16], who, name, asked.id, asked.question, *marks, why))
    return found


def _points(value: float | None) -> str:
    return "" if value is None else number(value)
