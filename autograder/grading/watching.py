"""Submissions graded as they come: look, grade what is new, give reports back, wait, look again."""

import itertools
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

import msgspec

from autograder.course.course import Course
from autograder.grading.grader import Grader, finished
from autograder.grading.inbox import SETTLED_SECONDS, Arrivals
from autograder.grading.wire import Graded
from autograder.store import files

STATE = ".graded_today.json"


class Day(msgspec.Struct):
    """How often each person's submissions were graded on one day of the course's zone."""

    day: str = ""
    graded: dict[str, int] = {}


@dataclass
class Limit:
    """The course's limit of gradings a day; it is kept when the watch is started anew.

    Args:
        out: The folder of results.
        course: Its limit and its zone.
    """

    out: Path
    course: Course
    _day: Day = field(default_factory=Day)

    def __post_init__(self) -> None:
        path = self.out / STATE
        if path.is_file():
            try:
                self._day = msgspec.json.decode(path.read_bytes(), type=Day)
            except msgspec.MsgspecError:  # a count that is lost lets somebody try once more
                self._day = Day()

    def reached(self, student: str) -> bool:
        """Whether a person's next submission has to wait for another day."""
        most = self.course.gradescope.attempts_a_day
        return bool(most) and self._today().graded.get(student, 0) >= most

    def count(self, student: str) -> None:
        """Count one grading."""
        day = self._today()
        day.graded[student] = day.graded.get(student, 0) + 1
        files.write(self.out / STATE, msgspec.json.encode(day).decode())

    def _today(self) -> Day:
        today = datetime.now(self.course.zone).date().isoformat()
        if self._day.day != today:
            self._day = Day(today, {})
        return self._day


@dataclass(frozen=True)
class Event:
    """What happened with one submission, or a complaint about something that is none.

    Args:
        graded: Its end; None where it was not graded.
        returned: Where its report was put; None for nowhere.
        said: A line for staff; "" for none.
    """

    graded: Graded | None = None
    returned: Path | None = None
    said: str = ""


def watch(
    grader: Grader, arrivals: Arrivals, out: Path, *, every: float, once: bool
) -> Iterator[Event]:
    """Grade what comes, one after another; it ends with a signal, or when what is there was graded.

    What is done already is skipped, so that a watch that was ended goes on where it was.

    Args:
        grader: The homework's.
        arrivals: Where submissions come in.
        out: The folder of results.
        every: Seconds between two looks.
        once: Grade what is there, and end: two looks show whether it is being written.
    """
    limit, said, waiting = Limit(out, grader.course), set[str](), set[str]()
    files.make_folder(out)
    for look in itertools.count(1):
        found, complaints = arrivals.new()
        for complaint in complaints:
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
                    yield Event(said=f"{item.student}: the day's limit is reached; it waits")
                continue
            waiting.discard(item.student)
            graded = grader.grade(item, out)
            if graded.grade and not graded.skipped and not graded.failed:
                limit.count(item.student)
            report, returned = graded.folder / files.REPORT, None
            try:
                returned = arrivals.give_back(item, report) if report.is_file() else None
            except OSError as error:
                yield Event(
                    said=f"{error.filename} cannot be written ({error.strerror}); {report} is there"
                )
            yield Event(graded, returned)
        if once and (look == 2 or not arrivals.waiting):
            return
        time.sleep(SETTLED_SECONDS if once else every)
