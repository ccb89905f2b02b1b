"""What crosses between the process that hands out submissions and those that grade: bytes."""

from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from typing import Self

import msgspec

from autograder.grading.grader import Graded, brief
from autograder.model import Grade, Receipt, UserError
from autograder.submission import archives, discover
from autograder.submission.reading import MAX_HELPER_BYTES, MAX_HELPERS


class Sent(msgspec.Struct, frozen=True):
    """One submission, with its bytes; `log` is what was submitted beside it.

    `again` means that others hindered it in its first try, and that now there are none.
    """

    student: str
    place: str
    name: str
    data: bytes
    log: bytes | None
    receipt: Receipt | None = None
    attempt: int = 1
    again: bool = False
    helpers: Mapping[str, bytes] = {}

    @classmethod
    def read(cls, item: discover.Found, *, limit: int) -> Self:
        """Read a submission's files.

        Raises:
            UserError: its file is larger than the limit, or cannot be read from its zip.
            OSError: its file cannot be read.
        """
        data = archives.read_bytes(item.path, limit=limit)
        log = None
        if item.log is not None:
            try:  # one byte more than is allowed tells that there was more
                log = archives.beginning(item.log, limit + 1)
            except (UserError, OSError):
                log = b""  # which is no log: its reader will say so
        helpers = {
            name: archives.beginning(file, MAX_HELPER_BYTES + 1)
            for name, file in islice(sorted(item.helpers.items()), MAX_HELPERS + 1)
        }
        return cls(
            item.student, item.place, item.path.name, data, log, item.receipt, helpers=helpers
        )

    def found(self) -> discover.Found:
        """Return it as if it had been found where it is now."""
        log = (
            None
            if self.log is None
            else archives.Received(discover.LOG_NAME, discover.LOG_NAME, self.log)
        )
        file = archives.Received(self.place, self.name, self.data)
        helpers = {name: archives.Received(name, name, data) for name, data in self.helpers.items()}
        return discover.Found(self.student, file, log, receipt=self.receipt, helpers=helpers)


class Done(msgspec.Struct, frozen=True, tag=True):
    """How one submission ended; its files, where it was graded on another machine."""

    name: str
    grade: Grade | None
    complaint: str
    seconds: float
    skipped: bool
    judged: bool
    failed: bool
    hindered: bool
    note: str
    files: Mapping[str, bytes] = {}

    @classmethod
    def of(cls, graded: Graded, files: Mapping[str, bytes] | None = None) -> Self:
        """Return what is sent of a graded submission: no message, and nothing large but files."""
        g = brief(graded)
        return cls(
            *(g.name, g.grade, g.complaint, g.seconds, g.skipped, g.judged, g.failed, g.hindered),
            g.note,
            files or {},
        )

    def graded(self, out: Path) -> Graded:
        """Return it as it is in a folder of results."""
        return Graded(
            self.name,
            out / self.name,
            self.grade,
            self.complaint,
            self.seconds,
            skipped=self.skipped,
            judged=self.judged,
            failed=self.failed,
            hindered=self.hindered,
            note=self.note,
        )
