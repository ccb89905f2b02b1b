"""The watch: look for submissions, grade new ones, return their reports, wait, and look again."""

import itertools
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

import msgspec

from autograder.course import course, late_days, people
from autograder.course.course import Course
from autograder.course.people import People
from autograder.grading.grader import Grader, finished
from autograder.grading.inbox import SETTLED_SECONDS, Arrivals
from autograder.grading.wire import Graded
from autograder.records.codec import one_line
from autograder.records.errors import UserError
from autograder.store import files

STATE = ".graded_today.json"


class Day(msgspec.Struct):
    """The number of gradings for each person on one day of the course's time zone."""

    day: str = ""
    graded: dict[str, int] = {}


@dataclass(frozen=True)
class Limit:
    """The course's daily limit of gradings, which survives a restart of the watch."""

    out: Path
    course: Course

    def reached(self, student: str) -> bool:
        """Return whether a person's next submission has to wait for a new day."""
        most = self.course.gradescope.attempts_a_day
        return bool(most) and self._today().graded.get(student, 0) >= most

    def count(self, student: str) -> None:
        """Count one grading."""
        day = self._today()
        day.graded[student] = day.graded.get(student, 0) + 1
        files.write(self.out / STATE, msgspec.json.encode(day).decode())

    def _today(self) -> Day:
        today = datetime.now(self.course.zone).date().isoformat()
        try:
            day = msgspec.json.decode((self.out / STATE).read_bytes(), type=Day)
        except (OSError, msgspec.MsgspecError):
            return Day(today)  # without the count, somebody only gets an extra try
        return day if day.day == today else Day(today)


class Settings:
    """A course's settings and people, which may change during a watch.

    Args:
        root: The course's folder.
    """

    course: Course
    people: People

    def __init__(self, root: Path) -> None:
        self._root = root
        self._state = self._now()  # before reading, so that a change meanwhile is not missed
        self._read()

    def changed(self) -> bool:
        """Read the files again if one has changed; an error keeps the earlier settings.

        Raises:
            UserError: a changed file has an error.
            OSError: a changed file cannot be read.
        """
        if (now := self._now()) == self._state:
            return False
        self._read()
        self._state = now
        return True

    def _read(self) -> None:
        self.course, self.people = course.read(self._root), people.roster(self._root)

    def _now(self) -> list[tuple[int, int]]:
        names = (course.FILE, course.SECRET_FILE, people.FILE, late_days.FILE)
        there = [path.stat() for name in names if (path := self._root / name).exists()]
        return [(one.st_mtime_ns, one.st_size) for one in there]


@dataclass(frozen=True)
class Event:
    """The outcome of one submission with its returned report, a line for staff, or a look's end."""

    graded: Graded | None = None
    returned: Path | None = None
    said: str = ""


def watch(
    grader: Grader,
    arrivals: Arrivals,
    out: Path,
    settings: Settings,
    *,
    every: float,
    once: bool,
) -> Iterator[Event]:
    """Grade submissions as they arrive, until a signal or, with `once`, until all are graded.

    Graded submissions are skipped, so a restarted watch continues where it stopped. Each look first
    reads settings that have changed. `every` is the seconds between two looks; for `once`, two looks
    show which files are still being written.
    """
    limit, said, waiting = Limit(out, grader.course), set[str](), set[str]()
    files.make_folder(out)
    for look in itertools.count(1):
        faults: list[str] = []
        try:
            if settings.changed():
                grader = replace(grader, course=settings.course)
                limit = Limit(out, settings.course)
                arrivals.roster, arrivals.staff = settings.people, settings.course.exchange.staff
        except (UserError, OSError) as error:
            faults.append(f"{error}; until this is fixed, the earlier settings count")
        found, complaints = arrivals.new()
        for complaint in (*faults, *complaints):
            if complaint not in said:
                said.add(complaint)
                yield Event(said=complaint)
        for item in found:
            if limit.reached(item.student) and not finished(
                item, grader.homework, grader.course, out
            ):
                arrivals.later(item)
                if item.student not in waiting:
                    waiting.add(item.student)
                    yield Event(
                        said=f"{item.student}: the daily limit is reached; the submission waits"
                    )
                continue
            waiting.discard(item.student)
            graded = grader.grade(item, out)
            if graded.later:
                arrivals.later(item)
                if graded.complaint not in said:
                    said.add(graded.complaint)
                    yield Event(graded)
                continue
            if graded.grade and not graded.skipped and not graded.failed:
                limit.count(item.student)
            report, returned = graded.folder / files.REPORT, None
            try:
                returned = arrivals.give_back(item, report) if report.is_file() else None
            except OSError as error:
                yield Event(
                    said=f"{error.filename} cannot be written ({error.strerror}); the report "
                    f"is in {report}"
                )
            except Exception as error:  # a fault of a platform's code costs nobody else
                why = f"{type(error).__name__}: {one_line(error)[:100]}"
                yield Event(
                    said=f"{item.place}: its report cannot be returned ({why}); it is in {report}"
                )
            yield Event(graded, returned)
        yield Event()
        if once and (look == 2 or not arrivals.waiting):
            return
        time.sleep(SETTLED_SECONDS if once else every)
