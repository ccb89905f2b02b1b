"""Carry a submission to the process or machine that grades it, and its end back, as bytes."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any, Self, TypeVar

import msgspec

from autograder.records.errors import UserError
from autograder.records.facts import Receipt
from autograder.records.marks import Grade
from autograder.submission import archives, discover
from autograder.submission.reading import MAX_HELPER_BYTES, MAX_HELPERS

Record = TypeVar("Record")


class Sent(msgspec.Struct, frozen=True):
    """One submission, with its bytes.

    Args:
        student: Whose it is.
        place: Where it was found, for messages.
        name: The file's.
        data: What the file has.
        log: What was submitted beside it.
        receipt: When it was submitted.
        helpers: The Python files beside it.
        last: It was starved before and is alone now, so that there is no other try.
        cautious: Write the marks so far after every question: its grader was lost before.
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
        return cls(item.student, item.place, item.path.name, data, log, item.receipt, helpers)

    def found(self) -> discover.Found:
        """Return it as if it had been found where it is now."""
        name = discover.LOG_NAME
        log = None if self.log is None else archives.received(name, self.log)
        file = archives.received(self.name, self.data, self.place)
        helpers = {name: archives.received(name, data) for name, data in self.helpers.items()}
        return discover.Found(self.student, file, log, receipt=self.receipt, helpers=helpers)


@dataclass(frozen=True)
class Graded:
    """One submission's end: its grade, or why there is none.

    `note` is for staff: what they should look at. `skipped` means that it was not run, and
    `judged` that its stored facts were judged again. `failed` means that the grader itself failed;
    the traceback is in failure.txt. `starved` means that it lost marks while others used up the
    machine, and that it is to be graded again, alone.
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

    def brief(self) -> Self:
        """Return it without what only its own files need: many of them fit into memory."""
        if self.grade is None:
            return self
        marks = tuple(
            replace(one, message="", pictures=(), misconception=None, fault="")
            for one in self.grade.marks
        )
        return replace(self, grade=replace(self.grade, marks=marks))


def encode(record: object) -> bytes:
    """Return a record as bytes."""
    return msgspec.msgpack.encode(record, enc_hook=str)  # paths alone are unknown to it


def decode(data: bytes, kind: type[Record]) -> Record:
    """Return the record that was encoded."""
    return msgspec.msgpack.decode(data, type=kind, dec_hook=_path)


def _path(kind: type, text: Any) -> Any:
    return kind(text)
