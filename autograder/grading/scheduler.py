"""Grading of many submissions by any executor: this process, a pool, or a cluster.

A submission that was lost with its grader is tried again at the end, alone; after the third loss it
keeps the marks earned so far. A submission that lost marks because others used up the machine is
also graded again at the end, alone.
"""

from collections import deque
from collections.abc import Generator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

import msgspec

from autograder.course.course import Course
from autograder.grading import unmarked
from autograder.grading.wire import Graded, Sent
from autograder.marking.mark import number
from autograder.records.errors import UserError
from autograder.records.marks import Grade
from autograder.store import files, mark_changes, results
from autograder.submission import discover, reading

ATTEMPTS = 3
# Seconds between two looks for new and lost workers.
LOOK_SECONDS = 2.0


class Lost(Exception):
    """The loss of a submission's grader.

    Args:
        why: The reason, in a few words.
        graders: How many graders were lost while it was alone; 0 if it was not the cause.

    """

    def __init__(self, why: str, graders: int = 1) -> None:
        super().__init__(why)
        self.graders = graders


class Executor(Protocol):
    """An executor that grades submissions."""

    def room(self) -> int:
        """Return how many submissions to keep under way; wait a little if there is no room."""

    def submit(self, sent: Sent) -> Future[Any]:
        """Have a submission graded."""

    def result(self, future: Future[Any]) -> Graded:
        """Return how a submission ended, with its files in place; raise Lost if its grader died."""


@dataclass(frozen=True)
class _Try:
    item: discover.Found
    alone: bool = False
    starved: bool = False
    losses: int = 0
    earlier: Mapping[str, float] | None = None  # the marks of an earlier grading of the same file


def grade(
    found: Sequence[discover.Found], executor: Executor, out: Path, course: Course, *, limit: int
) -> Generator[Graded, None, None]:
    """Grade submissions; yield each when it is done, in any order.

    `limit` is the largest number of bytes to read of a submission's file.

    Raises:
        UserError: the setup here allows no grading.
        SandboxFault: the sandbox does not work here.

    """
    files.make_folder(out)
    waiting, last = deque(_Try(item) for item in found), deque[_Try]()
    under_way: dict[Future[Any], tuple[_Try, str]] = {}
    while waiting or last or under_way:
        room = executor.room()
        while len(under_way) < room and (waiting or (last and not under_way)):
            one = (waiting or last).popleft()
            try:
                sent = Sent.read(one.item, limit=limit)
            except (UserError, OSError) as error:
                yield unmarked.unreadable(one.item, error, out)
                continue
            sent = msgspec.structs.replace(sent, last=one.starved, cautious=one.losses > 0)
            sha256 = reading.sha256(sent.found(), limit=limit)
            if one.earlier is None:
                before = results.found_grade(out / one.item.student)
                earned = _earned(before, sha256) if before and before.complete else {}
                one = replace(one, earlier=earned)
            under_way[executor.submit(sent)] = one, sha256
        for future in wait(under_way, LOOK_SECONDS, FIRST_COMPLETED).done:
            one, sha256 = under_way.pop(future)
            try:
                graded = executor.result(future)
            except Lost as lost:
                losses = one.losses + (lost.graders if one.alone else min(lost.graders, 1))
                if losses >= ATTEMPTS:
                    graded = unmarked.given_up(one.item, str(lost), out, course, sha256=sha256)
                    yield _with_changes(graded, one.earlier or {}, sha256, out, course)
                elif lost.graders:
                    last.append(replace(one, alone=True, losses=losses))
                else:
                    waiting.append(one)
                continue
            if graded.starved:
                last.append(replace(one, alone=True, starved=True))
            else:
                yield _with_changes(graded, one.earlier or {}, sha256, out, course)


def _earned(grade: Grade | None, sha256: str) -> dict[str, float]:
    """Return the machine's marks for a file, if the grade is of this file."""
    if grade is None or grade.submission.sha256 != sha256:
        return {}
    earned = {one.question: one.earned for one in grade.marks if not one.by_hand}
    return {question: points for question, points in earned.items() if points is not None}


def _with_changes(
    graded: Graded, earlier: Mapping[str, float], sha256: str, out: Path, course: Course
) -> Graded:
    """Write every mark that differs from an earlier grading into changes.csv; return what fell."""
    if not earlier or graded.later:
        return graded
    now = _earned(graded.grade or results.found_grade(out / graded.name), sha256)
    changes = [
        (question, before, after)
        for question, before in earlier.items()
        if abs((after := now.get(question, 0.0)) - before) > 1e-9
    ]
    at = datetime.now(course.zone).isoformat(timespec="seconds")
    by, why, id = "grade", "graded again", course.id_of(graded.name)
    mark_changes.append(
        out,
        (mark_changes.Change(at, by, id, q, number(a), number(b), why) for q, a, b in changes),
    )
    fell = tuple(f"{graded.name} {q}: {number(a)} -> {number(b)}" for q, a, b in changes if b < a)
    return replace(graded, fell=fell)
