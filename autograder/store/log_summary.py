"""A log without its values, which take most of the space: enough for a class page."""

from collections.abc import Mapping
from pathlib import Path

import msgspec

from autograder.records import codec
from autograder.records.errors import UserError
from autograder.records.facts import (
    CellError,
    Common,
    Outcome,
    Receipt,
    Remark,
    Status,
    SubmissionId,
)
from autograder.store import files, results


class BriefOutcome(msgspec.Struct, frozen=True):
    """The outcome of several cases of a question."""

    question: str
    status: Status
    error: str = ""

    @property
    def says_something(self) -> bool:
        """Whether the status is informative, as in `Outcome`."""
        return Outcome(self.question, 0, self.status, error=self.error).says_something


class BriefLog(msgspec.Struct, frozen=True):
    """A log without values; each field is as in `SubmissionLog`."""

    homework: str
    submission: SubmissionId
    complete: bool
    unrelated: bool = False
    repairs: tuple[Remark, ...] = ()
    remarks: tuple[Remark, ...] = ()
    errors: tuple[CellError, ...] = ()
    written: Mapping[str, str] = {}
    candidates: Mapping[str, tuple[str, ...]] = {}
    passed_here: tuple[str, ...] = ()
    outcomes: tuple[BriefOutcome, ...] = ()
    common: Mapping[str, Common] = {}
    receipt: Receipt | None = None


def read(folder: Path) -> BriefLog:
    """Return a folder's log without its values; raise UserError if no log is readable."""
    try:
        data = (folder / files.LOG).read_bytes()
    except FileNotFoundError:  # Gradescope's results.json contains it
        data = codec.encode_log(results.read_log(folder)).encode()
    try:
        log = _decoded(data)
    except msgspec.MsgspecError as error:
        try:  # forms of earlier versions can only be read as a whole
            log = _decoded(codec.encode_log(codec.decode_log(data)))
        except UserError:
            raise UserError(f"{files.LOG} cannot be read ({error}); {results.AGAIN}") from error
    # Most cases of a question end alike, and thousands of logs are in memory together.
    return msgspec.structs.replace(log, outcomes=tuple(dict.fromkeys(log.outcomes)))


def _decoded(data: bytes | str) -> BriefLog:
    return msgspec.json.decode(data, type=BriefLog)
