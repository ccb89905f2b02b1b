"""New submissions in a folder or a platform's exchange, and the way back for their reports.

Students may put anything there, so links are not followed. A file may be half written and have any
date, so it counts only once two looks find it unchanged.
"""

import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from autograder.course.people import People
from autograder.records.codec import one_line
from autograder.records.errors import UserError
from autograder.store import files
from autograder.submission import discover
from autograder.submission.opening import given
from autograder.submission.platform import Taken, installed

SETTLED_SECONDS = 2.0
"""A submission is complete once two looks this far apart find it unchanged."""


@dataclass
class Arrivals:
    """The submissions of one homework that arrive in a folder.

    Args:
        place: A folder that `autograder grade` accepts, or a course's folder in an exchange.
        homework: The homework's name.
        roster: The people.
        returns: Where reports go, as <student>/<homework>.html; None for nowhere. An exchange has
            its own place for them.
        collected: A platform's names for an imported homework, as "assignment/notebook".
        others: The names of the course's homeworks.
        staff: Unix users whose folders in an exchange count for any student.
        waiting: By student, the state that a later look must find unchanged, and since when.

    """

    place: Path
    homework: str
    roster: People
    returns: Path | None = None
    collected: str = ""
    others: Sequence[str] = ()
    staff: Collection[str] = ()
    _seen: dict[str, object] = field(default_factory=dict)
    waiting: dict[str, tuple[object, float]] = field(default_factory=dict)
    _taken: Mapping[str, Taken] = field(default_factory=dict)

    def new(self) -> tuple[list[discover.Found], list[str]]:
        """Return each person's newest complete submission that is new, and complaints."""
        found: list[discover.Found] = []
        complaints: list[str] = []
        try:
            names = [n for n in (self.homework, self.collected.partition("/")[0]) if n]
            asked = (self.place, names, self.roster, self.staff)
            incoming = next(filter(None, (one.incoming(*asked) for one in installed())), None)
            self._taken, complaints = incoming or ({}, [])
            if incoming:
                found = list(self._exchanged(complaints))
            elif given(self.place.resolve()).inside():
                found, complaints = discover.find(
                    [self.place.resolve()],
                    homework=self.homework,
                    collected=self.collected,
                    others=self.others,
                    roster=self.roster,
                )
        except OSError as error:  # the disk may come back
            complaints = [f"{one_line(self.place)}: it cannot be searched ({error.strerror})"]
        return list(self._settled(found, complaints)), complaints

    def later(self, item: discover.Found) -> None:
        """Let `new` return a submission again."""
        self.waiting[item.student] = (self._seen.pop(item.student), -SETTLED_SECONDS)

    def give_back(self, item: discover.Found, report: Path) -> Path | None:
        """Copy a report to its student's place; return the path, or None if there is no place."""
        if taken := self._taken.get(item.student):
            target = taken.page(Path(str(item.path)).stem)
            if target is None:
                return None
        elif self.returns:
            target = self.returns / item.student / f"{self.homework}.html"
            target.parent.mkdir(parents=True, exist_ok=True)
        else:
            return None
        files.write(target, report.read_text(encoding="utf-8"))
        if taken:
            target.chmod(0o644)
        return target

    def _settled(
        self, found: Sequence[discover.Found], complaints: list[str]
    ) -> Iterator[discover.Found]:
        """Yield new submissions that have not changed since an earlier look; all others wait."""
        now, before = time.monotonic(), self.waiting
        self.waiting = {}
        for item in found:
            state = [item.path, item.log, *item.helpers.values()]
            if self._seen.get(item.student) == state:
                continue
            earlier, since = before.get(item.student, (state, now))
            if earlier != state:
                since = now
                complaints.append(
                    f"{item.place}: it is still being written; it waits until nothing "
                    f"changes for {SETTLED_SECONDS:g} seconds"
                )
            if now - since < SETTLED_SECONDS:
                self.waiting[item.student] = (state, since)
            else:
                self._seen[item.student] = state
                yield item

    def _exchanged(self, complaints: list[str]) -> Iterator[discover.Found]:
        for student, (folder, receipt, _) in self._taken.items():
            try:
                yield discover.find_only(
                    folder,
                    student=student,
                    homework=self.homework,
                    collected=self.collected,
                    receipt=receipt,
                )
            except (UserError, ValueError, OSError) as error:
                complaints.append(f"{one_line(folder)}: {one_line(error)}")
