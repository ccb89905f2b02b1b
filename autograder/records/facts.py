"""Facts: the submission, and everything that the sandbox observed. They contain no verdict."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Literal

from autograder.records.homework import Cell
from autograder.records.questions import Value

Status = Literal["returned", "refused", "raised", "timed_out", "killed", "not_run"]

CUT = "…"
"""The end of a sentence that was cut short."""
NOT_TRAINED = "a question that it needs is not right"
"""The error of a "not_run" outcome, if the training could not have counted and was skipped."""

At = Literal["check", "end"]
"""A state of a notebook: at a question's own check cell, or at the end."""

Reader = Literal["student", "staff", "author"]
"""The readers of a remark: students' pages, staff's pages and lines, or `check` and `release`."""


@dataclass(frozen=True, slots=True)
class Remark:
    """A sentence on a submission that changes no mark.

    Args:
        reader: Staff also see remarks for students; students see only their own.
        text: The sentence.
    """

    reader: Reader
    text: str


def said_to(remarks: Iterable[Remark], *readers: Reader) -> tuple[str, ...]:
    """Return the sentences for these readers, without repetitions."""
    return tuple(dict.fromkeys(one.text for one in remarks if one.reader in readers))


@dataclass(frozen=True)
class SubmissionId:
    """The identity of a submission: an opaque student id and the bytes' hash; no name, no path."""

    student: str
    kind: Literal["notebook", "log"]
    sha256: str


@dataclass(frozen=True)
class Receipt:
    """The time when a platform received a submission, and its due dates.

    Args:
        at: The time of submission; None if the platform only shows that it was late.
        due: The due date for the person who submitted it, or a group's latest; None if unknown.
        late_due: The last date for late submissions.
        people: The ids by which course.toml may name the people who submitted it.
        late: Whether the platform marks it as late, without the amount.
        local: The platform's text for the time, if that text alone does not determine it: the course's time zone decides what an abbreviation such as PST means; the time in any other form stays unknown.
    """

    at: datetime | None = None
    due: datetime | None = None
    late_due: datetime | None = None
    people: tuple[str, ...] = ()
    late: bool = False
    local: str = ""

    def of(self, id: str) -> "Receipt":
        """Return the receipt with a person's further id, since an extension may use any of them."""
        return self if id in self.people else replace(self, people=(*self.people, id))


@dataclass(frozen=True)
class Submission:
    """A submission that has been read.

    Args:
        id: Its identity.
        cells: The notebook's cells, or those made from a log.
        refusals: Question id -> the reason why this submission's answer cannot count.
        remarks: Remarks on how it was read.
        receipt: When a platform received it; None if unknown.
        helpers: Python files beside the notebook, which it can import: name -> text.
        language: The language in its metadata; "" for Python or none.
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
    """A cell that raised or never ended; `cell` is its name for people."""

    cell: str
    name: str
    message: str


@dataclass(frozen=True)
class Outcome:
    """The outcome of one case of one question: a fact, without any verdict.

    Args:
        question: The question's id.
        number: The case's number, in the order of drawing.
        status: How it ended.
        value: The returned value.
        error: The error that was raised, or why the value was refused.
        seconds: How long it took.
        again: Whether this is a second evaluation with a different result.
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
        """Return whether an answer gave a value or an error of its own."""
        unwritten = self.error.split("\n")[0] == "NotImplementedError"
        return self.status in ("returned", "raised", "refused") and not unwritten


@dataclass(frozen=True, slots=True)
class Digest:
    """A short digest of one value; `digests` makes and compares it.

    Args:
        kind: Digest of everything that must be equal: status, form, whole numbers, texts.
        numbers: Sums of its other numbers, which may differ by rounding.
    """

    kind: str
    numbers: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Common:
    """A wrong answer's results on inputs that all submissions share. They earn nothing.

    Args:
        inputs: Digest of these inputs.
        values: One digest for each case.
    """

    inputs: str
    values: tuple[Digest, ...]


@dataclass(frozen=True)
class SubmissionLog:
    """Everything the sandbox found out about one submission.

    Args:
        homework: The homework's name.
        submission: The submission's identity.
        versions: Versions of the grader, the homework and the relevant libraries.
        inputs: Question id -> digest of its hidden inputs; the inputs are drawn again.
        isolation: The layers of the sandbox that worked.
        unrelated: Whether it contains nothing of this homework, so it did not run.
        repairs: The changes made to run the notebook.
        remarks: Other remarks.
        errors: Cells that failed.
        written: Hand-marked question id -> "answered", "unchanged", "empty" or "missing".
        candidates: Hand-marked question id -> texts that may be its answer, if there are several.
        passed_here: Wrong answers that passed the check in the notebook; checks of right answers are not called.
        complaints_here: Question id -> the notebook check's sentence on a wrong answer, as untrusted as any output.
        outcomes: One per case, in the homework's order.
        common: Question id -> a wrong answer's results on shared inputs; they earn nothing, but find the same mistake in the whole class.
        original: The original homework's top-level keys.
        receipt: When a platform received it; None if unknown.
        time: When it was graded, seconds since 1970.
        seconds: How long it took.
        complete: Whether every question was evaluated; a growing log is also written.
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

    def of(self, question: str) -> tuple[Outcome, ...]:
        """Return a question's outcomes."""
        return tuple(one for one in self.outcomes if one.question == question)

    @property
    def not_trained(self) -> frozenset[str]:
        """Return the questions skipped because of a wrong one: nothing is known about them."""
        return frozenset(one.question for one in self.outcomes if one.error == NOT_TRAINED)
