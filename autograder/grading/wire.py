"""The bytes in which a submission travels to its grader, and its outcome travels back."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Self, TypeVar

import msgspec

from autograder.records import codec
from autograder.records.errors import UserError
from autograder.records.facts import Receipt
from autograder.records.marks import Grade
from autograder.submission import archives, discover
from autograder.submission.reading import MAX_HELPER_BYTES, MAX_HELPERS

Record = TypeVar("Record")


class Sent(msgspec.Struct, frozen=True):
    """One submission: its file's name and bytes, the log and the Python files beside it.

    `place` is its path, for messages. `last` means the last try: it was starved before and is alone
    now. `cautious` saves the marks after every question, because its grader was lost before.
    """

    student: str
    place: str
    name: str
    data: bytes
    log: bytes | None
    receipt: Receipt | None = None
    helpers: Mapping[str, bytes] = {}
    last: bool = False
    cautious: bool = False

    @classmethod
    def read(cls, item: discover.Found, *, limit: int) -> Self:
        """Read a submission's files.

        Raises:
            UserError: its file is over the limit, or unreadable in its zip.
            OSError: its file cannot be read, or a Python file beside it was replaced.

        """
        data = archives.read_bytes(item.path, limit=limit)
        log = None
        if item.log is not None:
            try:  # one extra byte shows that the file is larger
                log = archives.beginning(item.log, limit + 1)
            except (UserError, OSError):
                log = b""  # not a log; its reader reports that
        helpers = {
            name: _of_helper(file)
            for name, file in islice(sorted(item.helpers.items()), MAX_HELPERS + 1)
        }
        name = codec.printable(item.path.name)  # any bytes can be a name, but only text travels
        return cls(item.student, item.place, name, data, log, item.receipt, helpers)

    def found(self) -> discover.Found:
        """Return the submission as found at its path on this machine."""
        name = discover.LOG_NAME
        log = None if self.log is None else archives.received(name, self.log)
        file = archives.received(self.name, self.data, self.place)
        helpers = {name: archives.received(name, data) for name, data in self.helpers.items()}
        return discover.Found(self.student, file, log, receipt=self.receipt, helpers=helpers)


def _of_helper(file: archives.File) -> bytes:
    try:
        return archives.beginning(file, MAX_HELPER_BYTES + 1)
    except (UserError, PermissionError):  # other errors may go away, so it is graded again
        return b"\xff"  # not text; the reader of submissions leaves it out and reports that


@dataclass(frozen=True)
class Graded:
    """One submission's outcome: its grade, or the reason for none.

    `note` tells staff where to look. `skipped` means that it did not run, and `judged` that its
    stored facts were judged again. `failed` means that the grader itself failed; the traceback is
    in failure.txt. `starved` means that it lost marks while others used up the machine, and has to
    be graded again, alone. `broken` is the reason why known mistakes cannot be recognised, if any.
    `later` means that its file could not be read for a reason that may pass; earlier marks stay.
    `fell` has a line for each mark that is lower than an earlier grading gave the same file.
    """

    name: str
    folder: Path
    grade: Grade | None = None
    complaint: str = ""
    seconds: float = 0.0
    skipped: bool = False
    judged: bool = False
    failed: bool = False
    starved: bool = False
    note: str = ""
    broken: str = ""
    later: bool = False
    fell: tuple[str, ...] = ()

    def brief(self) -> Self:
        """Return the outcome without what is needed only to write its files, to save memory."""
        if self.grade is None:
            return self
        marks = tuple(
            replace(one, message="", pictures=(), misconception=None, fault="")
            for one in self.grade.marks
        )
        return replace(self, grade=replace(self.grade, marks=marks))


def encode(record: object) -> bytes:
    """Return a record as bytes."""
    return msgspec.msgpack.encode(record, enc_hook=str)  # the decoder does not know `Path` alone


def decode(data: bytes, kind: type[Record]) -> Record:
    """Return the record that was encoded."""
    return msgspec.msgpack.decode(data, type=kind, dec_hook=lambda path, text: path(text))
