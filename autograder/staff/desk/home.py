"""The open work in each homework, and the next step."""

import contextlib
import csv
import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from autograder.course import homework
from autograder.course.course import Course
from autograder.marking.mark import number
from autograder.records.codec import given_cell
from autograder.records.homework import Homework
from autograder.staff.desk.activity import requests
from autograder.staff.desk.classes import Classes
from autograder.store import files

GIVEN_BACK = ("canvas.csv", "canvas-feedback.zip", "moodle.csv", "moodle-feedback.zip", "mails.zip")


@dataclass(frozen=True)
class Waiting:
    """A homework on the first page.

    Args:
        title: Its notebook's title.
        due: The due date in the course's time zone, in ISO form; "" without one.
        waits: The open work, in a few words each, with the address of its page.
        step: The next step in words, with an address or an action's name.
    """

    name: str
    title: str
    due: str
    graded: int
    waits: tuple[tuple[str, str], ...]
    step: tuple[str, str, str]


def homeworks(classes: Classes, settings: Course, load: Callable[[str], Homework]) -> list[Waiting]:
    """Return all homeworks of a course in order; `load` returns a homework by its name."""
    return [_waiting(classes, settings, load(name)) for name in homework.names(classes.root)]


def _waiting(classes: Classes, settings: Course, chosen: Homework) -> Waiting:
    name = chosen.name
    entries, place, due = classes.entries(name), classes.place(name), settings.due(name)
    written = f"{due.astimezone(settings.zone):%Y-%m-%d %H:%M}" if due else ""
    known = classes.roster()
    open_marks = sum(entry.waiting for entry in entries.values())

    def flagged(flag: str) -> int:
        return sum(flag in entry.flags for entry in entries.values())

    people = f"/people?homework={name}&filter="
    undecided = sum(not one.decisions for one in requests.asked(place))
    strangers = sum(not known.in_folder(student) for student in entries) if known else 0
    found = [
        (open_marks, "answer to mark", "answers to mark", f"/mark/{name}"),
        (flagged("unusable"), *2 * ("could not be graded",), f"{people}unusable"),
        (strangers, *2 * ("not in roster.csv",), f"{people}unknown"),
        (
            undecided,
            "request without a decision",
            "requests without a decision",
            f"/requests/{name}",
        ),
        (flagged("late"), *2 * ("late",), f"{people}late"),
    ]
    waits = tuple((f"{n} {one if n == 1 else many}", at) for n, one, many, at in found if n)
    step = _step(classes, name, open_marks)
    return Waiting(name, chosen.title, written, len(entries), waits, step)


def _step(classes: Classes, name: str, open_marks: int) -> tuple[str, str, str]:
    """Return the next step: its words, its address, and the action that it starts, if any."""
    if not classes.entries(name):
        return "Bring in submissions", f"/bring?homework={name}", ""
    if open_marks:
        return "Mark written answers", f"/mark/{name}", ""
    if stale(classes, name):
        return "Write reports and tables", "", "report"
    return "Give back", f"/back?homework={name}", ""


def stale(classes: Classes, name: str) -> bool:
    """Return whether somebody's mark differs from the one in grades.csv and the reports."""
    path = classes.place(name) / files.GRADES
    if not path.is_file():
        return bool(classes.entries(name))
    table = _scores(path, path.stat().st_mtime_ns)
    return any(
        table.get(person.id) != ("" if entry.score is None else number(entry.score))
        for person in classes.people()
        if (entry := person.entries.get(name))
    )


@functools.lru_cache(maxsize=32)
def _scores(path: Path, written: int) -> Mapping[str, str]:  # noqa: ARG001
    """Return id -> score from a table, read only once until it changes.

    A table that was saved in a different format counts as empty, and so as out of date.
    """
    with (
        contextlib.suppress(KeyError, UnicodeDecodeError, csv.Error),
        path.open(encoding="utf-8-sig", newline="") as file,
    ):
        return {given_cell(row["id"] or ""): row["score"] for row in csv.DictReader(file)}
    return {}


def written(place: Path) -> list[str]:
    """Return the files for platforms in a folder of results."""
    return [name for name in (*GIVEN_BACK, files.GRADES) if (place / name).is_file()]
