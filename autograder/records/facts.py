"""Facts: what was submitted, and what the sandbox found out about it. No verdict is here."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from autograder.records.homework import Cell
from autograder.records.questions import Value

Status = Literal["returned", "refused", "raised", "timed_out", "killed", "not_run"]

NOT_TRAINED = "what it needs is not right"

"""The error of an outcome "not_run", where training takes long and could not have counted."""

At = Literal["check", "end"]

"""A state of a notebook: at a question's own check cell, or at its end."""

Reader = Literal["student", "staff", "author"]

"""Whom a remark is for: student's pages, staff's pages and lines, or `check` and `release`."""


@dataclass(frozen=True, slots=True)
class Remark:
    """A sentence on a submission that changes no mark.

    Args:
        reader: Staff see what students are told as well; students see what is for them alone.
        text: The sentence.
    """

    reader: Reader
    text: str


def said_to(remarks: Iterable[Remark], *readers: Reader) -> tuple[str, ...]:
    """Return the sentences for these readers, each once."""
    return tuple(dict.fromkeys(one.text for one in remarks if one.reader in readers))


@dataclass(frozen=True)
class SubmissionId:
    """Which submission this is: an opaque student id and the bytes' hash, no name and no path."""

    student: str
    kind: Literal["notebook", "log"]
    sha256: str


@dataclass(frozen=True)
class Receipt:
    """When a platform took a submission, and its own dates: facts, whatever the clock shows.

    Args:
        at: When it came; None where the platform only shows that it was late.
        due: When it is due for the person who submitted it; in a group, the latest. None where it is not known.
        late_due: Until when it is taken late.
        people: The ids by which course.toml may name the people who submitted it.
        late: Whether the platform calls it late, and not by how much.
        local: What the platform wrote, where it is no moment by itself: of a time with an abbreviation
            such as PST, the course's zone shows which one it is; nobody knows what else there is.
    """

    at: datetime | None = None
    due: datetime | None = None
    late_due: datetime | None = None
    people: tuple[str, ...] = ()
    late: bool = False
    local: str = ""


@dataclass(frozen=True)
class Submission:
    """A submission that was read.

    Args:
        id: Which one.
        cells: The notebook's cells, or those made from a log.
        refusals: Question id -> why this submission's answer to it cannot count.
        remarks: What to say of how it was read.
        receipt: When a platform took it; None where nothing shows it.
        helpers: Python files beside the notebook, which it can import: name -> text.
        language: What its metadata says it is written in; "" for Python, and where nothing is said.
    """

    id: SubmissionId
    cells: tuple[Cell, ...]
    refusals: Mapping[str, str] = field(default_factory=dict)
    remarks: tuple[Remark, ...] = ()
    receipt: Receipt | None = None
    helpers: Mapping[str, str] = field(default_factory=dict)
    language: str = ""


@dataclass(frozen=True)
class CellError:
    """A cell that raised or never ended; `cell` names it as a person would."""

    cell: str
    name: str
    message: str


@dataclass(frozen=True)
class Outcome:
    """What one case of one question gave: a fact, without any verdict.

    Args:
        question: The question's id.
        number: The case's, as they were drawn.
        status: How it ended.
        value: What came back.
        error: What was raised or refused.
        seconds: How long it took.
        again: Whether the case was evaluated a second time, and gave something else than before.
        at: The state of the notebook: at the question's own check cell, or at its end.
    """

    question: str
    number: int
    status: Status
    value: Value | None = None
    error: str = ""
    seconds: float = 0.0
    again: bool = False
    at: At = "end"

    @property
    def says_something(self) -> bool:
        """Whether an answer was there and came back with a value or a complaint of its own."""
        unwritten = self.error.split("\n")[0] == "NotImplementedError"
        return self.status in ("returned", "raised", "refused") and not unwritten


@dataclass(frozen=True, slots=True)
class Digest:
    """A short digest of one value; `digests` makes and compares it.

    Args:
        kind: Of all that has to be the same: how it ended, its form, whole numbers, texts.
        numbers: Sums of its other numbers, which may differ by rounding.
    """

    kind: str
    numbers: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Common:
    """What a wrong answer gave for inputs that all submissions have in common. It earns nothing.

    Args:
        inputs: Digest of these inputs.
        values: A digest a case.
    """

    inputs: str
    values: tuple[Digest, ...]


@dataclass(frozen=True)
class SubmissionLog:
    """Everything the sandbox found out about one submission.

    Args:
        homework: The homework's name.
        submission: Which submission.
        versions: Of the grader, the homework and the libraries that matter.
        inputs: Question id -> digest of its hidden inputs; the inputs are drawn again.
        isolation: The layers of the sandbox that worked.
        unrelated: Whether it has nothing of this homework, so that it was not run.
        repairs: What was mended to run the notebook.
        remarks: What else to say of it.
        errors: Cells that failed.
        written: Hand-marked question id -> "answered", "unchanged", "empty" or "missing".
        candidates: Hand-marked question id -> texts that may be its answer, where there are several.
        passed_here: Questions whose check in the notebook printed that the answer passed.
        complaints_here: Question id -> the sentence that its check in the notebook printed of a
            wrong answer, as untrusted as any output.
        outcomes: One a case, in the homework's order.
        common: Question id -> what a wrong answer gave for inputs common to all, uncounted: by it
            the same mistake is found again in a whole class.
        original: The original homework's top-level keys.
        receipt: When a platform took it; None where nothing shows it.
        time: When it was graded, seconds since 1970.
        seconds: How long it took.
        complete: Whether every question was evaluated; a log is written while it grows.
        schema: Version of this record.
    """

    homework: str
    submission: SubmissionId
    versions: Mapping[str, str] = field(default_factory=dict)
    inputs: Mapping[str, str] = field(default_factory=dict)
    isolation: tuple[str, ...] = ()
    unrelated: bool = False
    repairs: tuple[Remark, ...] = ()
    remarks: tuple[Remark, ...] = ()
    errors: tuple[CellError, ...] = ()
    written: Mapping[str, str] = field(default_factory=dict)
    candidates: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    passed_here: tuple[str, ...] = ()
    complaints_here: Mapping[str, str] = field(default_factory=dict)
    outcomes: tuple[Outcome, ...] = ()
    common: Mapping[str, Common] = field(default_factory=dict)
    original: Mapping[str, Any] = field(default_factory=dict)
    receipt: Receipt | None = None
    time: float = 0.0
    seconds: float = 0.0
    complete: bool = False
    schema: int = 2

    @property
    def not_trained(self) -> frozenset[str]:
        """Questions that were not trained, since what they need is not right: nothing is known of them."""
        return frozenset(one.question for one in self.outcomes if one.error == NOT_TRAINED)
