"""The selection of submissions: find them, name them by the roster, and add their times."""

import fnmatch
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Literal

from autograder.course import course, homework, timestamps
from autograder.course.people import People
from autograder.grading import preflight
from autograder.marking.mark import counted
from autograder.records.codec import one_line
from autograder.records.errors import UserError
from autograder.records.facts import Receipt
from autograder.records.homework import Homework
from autograder.submission import discover, ids, receipts

Commit = Literal["due", "last"]
ABSENT = 10
"""The most ids of people without a submission that a note lists."""


@dataclass(frozen=True)
class Selection:
    """The submissions to grade, a line for each file that is none, and notes to print first."""

    found: Sequence[discover.Found]
    complaints: Sequence[str]
    notes: Sequence[str]


def select(
    root: Path,
    chosen: Homework,
    settings: course.Course,
    people: People,
    paths: Sequence[Path],
    out: Path,
    *,
    people_list: Path | None,
    times_list: Path | None,
    commit: Commit,
    only: Sequence[str],
    limit: int | None,
) -> Selection:
    """Return the submissions of a homework in notebooks, logs, folders or zips of them.

    `people_list` is a platform's list of people, which maps submissions to the roster's ids, and
    `times_list` has submission times. `commit` says which commit of a clone to grade. `only` has
    patterns of names; empty for all.
    """
    if people_list and not people:
        raise UserError("--ids needs a roster.csv in the course, to match its ids")
    # A number may belong to different people on two platforms, so only the list decides.
    known = People() if people_list else people
    preflight.refuse_results(paths, out)
    found, complaints = discover.find(
        paths,
        homework=chosen.name,
        collected=chosen.collected,
        others=homework.names(root),
        roster=known,
        deadline=_deadline(settings, chosen.name, commit),
    )
    times = receipts.of_list(times_list, settings.time_zone, known) if times_list else {}
    found = _timed(found, times)
    if people_list:
        numbers = [item.student for item in found]
        found = _timed(ids.renamed(found, ids.read(people_list, numbers, people)), times)
    notes = list(_without_time(found, times_list, settings)) if times_list else []
    if not only and limit is None:
        notes += beside_the_roster([item.student for item in found], people)
    found = _picked(found, [people.called(name) for name in only], limit)
    preflight.refuse_others(root, found, chosen)
    for item in found:
        unknown = timestamps.unknown(item.receipt, settings.zone)
        notes += [f"{item.student}: {text}" for text in (item.note, unknown) if text]
    return Selection(found, complaints, notes)


def _deadline(
    settings: course.Course, name: str, commit: Commit
) -> Callable[[str], datetime | None]:
    """Return a function from a person to their deadline for commits, with the minutes of grace."""

    def deadline(person: str) -> datetime | None:
        due, late_due = settings.dates_for(name, Receipt(people=(person,)))
        if commit == "last":
            return late_due
        return settings.free_until(due) if due else None

    return deadline


def _timed(found: Sequence[discover.Found], times: Mapping[str, Receipt]) -> list[discover.Found]:
    return [replace(i, receipt=receipts.with_time(i.receipt, i.student, times)) for i in found]


def _without_time(
    found: Sequence[discover.Found], times_list: Path, settings: course.Course
) -> Iterator[str]:
    without = [one.student for one in found if timestamps.taken(one.receipt, settings.zone) is None]
    if without:
        yield (
            f"{one_line(times_list)} has no time for {len(without)} of {len(found)} "
            f"submissions, such as {one_line(without[0])}; they are not late"
        )


def _picked(
    found: Sequence[discover.Found], only: Sequence[str], limit: int | None
) -> list[discover.Found]:
    for name in only:
        if not any(fnmatch.fnmatchcase(item.student, name) for item in found):
            raise UserError(f"--only {name}: no submission has this name")
    picked = [
        item
        for item in found
        if not only or any(fnmatch.fnmatchcase(item.student, name) for name in only)
    ]
    return picked[:limit]


def beside_the_roster(found: Sequence[str], people: People) -> Iterator[str]:
    """Yield notes on people in the roster without a submission, and on submitters not in it.

    If the roster has at most half of the people found, it yields nothing.
    """
    strangers = [name for name in found if not people.in_folder(name)]
    there = [person for name in found if (person := people.in_folder(name))]
    named = set(there)
    absent = [person.id for person in people if person not in named]
    if people and len(found) > 1 and not there:
        yield (
            f"none of these {len(found)} ids, such as {one_line(found[0])}, is in "
            "roster.csv; use --ids CSV with the platform's list of people"
        )
    if 2 * len(there) <= len(found):
        return
    if absent:
        yield (
            f"{len(absent)} of {len(people)} people in roster.csv have no submission here: "
            f"{_some(absent)}"
        )
    if strangers:
        yield (
            f"{counted(len(strangers), 'submission')} by nobody in roster.csv: {_some(strangers)}"
        )


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - ABSENT} more" if len(names) > ABSENT else ""
    return f"{', '.join(map(one_line, names[:ABSENT]))}{more}"
