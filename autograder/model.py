"""The records that the rest of the kit passes around.

Everything here is frozen and free of input and output. Facts (what a student's
code returned) travel as `SubmissionLog`, marks as `Grade`; a `Homework` tells
how the first becomes the second.
"""

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, InitVar, dataclass, field, replace
from datetime import datetime
from decimal import ROUND_HALF_UP, Decimal
from typing import Any, ClassVar, Literal, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from autograder.values import Refused as Refused  # adapters raise it

T = TypeVar("T")
Array = npt.NDArray[Any]
Inputs = Mapping[str, Any]
"""What one case hands to an adapter: arrays and plain JSON values by name."""

Value = Mapping[str, Any]
"""What came back: float64 or int64 arrays, text, or other plain data (see `data`), by name."""

Reads = Literal["numbers", "steps", "alone", "data", "error", "output", "picture", "asserts"]
"""What is read of an answer: arrays of numbers, plain data, what it raises, prints or draws.

"steps" reads numbers, and counts what Python runs for them. "alone" reads numbers among which the
adapter counts operations of torch, and refuses what such a count would not see.

"asserts" reads no answer: the question's own test cell runs, and how it ended is read.
"""

Status = Literal["returned", "refused", "raised", "timed_out", "killed", "not_run"]
NOT_TRAINED = "what it needs is not right"
"""The error of an outcome "not_run", where training takes long and could not have counted."""
At = Literal["check", "end"]
"""A state of a notebook: at a question's own check cell, or at its end."""

Visibility = Literal["visible", "hidden", "after_due_date", "after_published"]
Reader = Literal["student", "staff", "author"]
"""Whom a remark is for: student's pages, staff's pages and lines, or `check` and `release`."""

LatePoints = Literal["all", "machine"]
"""Which points lateness takes a share of: all, or those that the machine gave."""


_CENT = Decimal("0.01")
_LARGEST = 1e15


def rounded(points: float) -> float:
    """Return points with two digits, half up, as all marks are: 5.125 -> 5.13.

    What a sum in binary leaves behind the ninth digit is no part of a mark.
    """
    if not abs(points) < _LARGEST:
        return points
    return float(Decimal(repr(round(float(points), 9))).quantize(_CENT, ROUND_HALF_UP)) + 0.0


class UserError(Exception):
    """Something a person gave us cannot be used; the text tells what, where and how to mend it."""


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
class Heatmap:
    """A small matrix to draw in a report.

    Args:
        title: One sentence that tells what the matrix is.
        rows: One label a row.
        columns: One label a column.
        values: Numbers in [0, 1], one list a row.
    """

    title: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    values: tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class Verdict:
    """A check's judgement of one value: the fraction of the points it earns, and why.

    `doubtful` means that there is something to say although it costs nothing.
    """

    fraction: float
    message: str
    pictures: tuple[Heatmap, ...] = ()
    doubtful: bool = False


def no_array(name: str, got: object) -> str:
    """Return the message where an array belongs and something else came back; "" for finite numbers."""
    if isinstance(got, np.ndarray):
        finite = got.dtype.kind in "biuf" and np.isfinite(got).all()
        return "" if finite else f"{name} contains NaN or infinity, which are not numbers."
    return f"{name} is missing." if got is None else f"{name} is not an array."


class AuthorsFunction(NamedTuple):
    """A function that a check calls with a case's inputs by name, behind so many other arguments."""

    function: Callable[..., Any]
    before: int = 0


def the_solution(**inputs: Any) -> Any:
    """Stand for the solution in the instructor's notebook: the reference of a check that gives none."""
    raise UserError(f"no solution was read for {', '.join(inputs)}")


class Check:
    """Judges what came back in one case; all but `__call__` has a default that tells nothing.

    A check sees the inputs of one case and the arrays and texts that came back. It never
    raises for what a student returned; an exception here is our own bug.

    Attributes:
        reads: What of an answer it looks at.
        decides: Whether its verdict is all that can be told of a value.
        trains: Whether an answer trains a model for it, which takes long.
        once: Whether each case is evaluated once, and not twice; what trains always is.
        heavy: Whether a case takes about a second, so that `prove` tries a tenth of the draws.
        derives: Whether a value is the lines of a derivation.
    """

    reads: ClassVar[Reads] = "numbers"
    decides: ClassVar[bool] = False
    trains: ClassVar[bool] = False
    once: ClassVar[bool] = False
    heavy: ClassVar[bool] = False
    derives: ClassVar[bool] = False

    def __call__(self, inputs: Inputs, value: Value) -> Verdict:
        """Judge one case."""
        raise NotImplementedError

    @property
    def parts(self) -> Sequence["Check"]:
        """Return the checks that it is made of, each with points of its own: itself alone."""
        return (self,)

    def about(self, inputs: Inputs) -> bool:  # noqa: ARG002
        """Whether a case concerns it."""
        return True

    def likeness(self, inputs: Inputs, value: Value, known: Value) -> float:  # noqa: ARG002
        """Return how well a value fits a known mistake's, from 0 to 1 for the same."""
        alike = value.keys() == known.keys() and all(
            np.array_equal(value[name], known[name]) for name in known
        )
        return float(alike)

    def overview(self, cases: Sequence[tuple[Inputs, Value | None, bool]]) -> str:  # noqa: ARG002
        """Return what the cases have in common, in a sentence or two.

        Args:
            cases: The inputs, the value if there was one, and whether it is right.
        """
        return ""

    def fault(self, inputs: Inputs, value: Value) -> str:  # noqa: ARG002
        """Return the message on a mistake that costs nothing; "" where there is none."""
        return ""

    def graded(self, value: Value) -> Value:
        """Return what of a value earns points."""
        return value

    def expected(self, inputs: Inputs) -> Any:  # noqa: ARG002
        """Return the one right value of a case; None where several are right."""
        return None

    def shows(self, inputs: Inputs) -> Any:
        """Return what the visible check that follows from this one compares an answer with."""
        return self.expected(inputs)

    def allowed(self) -> float:
        """Return how far off a number may be, absolute and relative to the expected one."""
        return 0.0

    def functions(self) -> Mapping[str, AuthorsFunction]:
        """Return the functions of the author's that are called with a case's inputs, by argument."""
        return {}


def one_case(rng: np.random.Generator) -> Sequence[Inputs]:  # noqa: ARG001
    """Return the single empty case of a question whose object takes no hidden input."""
    return ({},)


RESULT = "the result"
"""What a message calls the value of a question that has no adapter."""
STEPS = "steps of Python"
"""What a value calls the number of lines and calls that Python ran for it, where they are counted."""


@dataclass(frozen=True)
class Ask:
    """How a question reaches into a notebook.

    Args:
        adapter: Name of a function in staff/adapters.py. Without one, the object is called with the
            inputs in their order, and what it returns is `RESULT`.
        objects: Names in the student's notebook, given to the adapter in this order; the last is
            the one that is evaluated, the others are what it is built on. Without any, the one
            that is called like the question.
        without: Names removed from the notebook before the adapter is called, so
            that a provided reference cannot answer for the student.
        changes: Those of the objects that may change what they are given, as a step of training
            does; any other function that does so loses the case.
        asserts: The text of the question's own test cell, hidden tests included, where that is
            what decides; filled in from the instructor's notebook. There are no objects then.
    """

    adapter: str = ""
    objects: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    changes: tuple[str, ...] = ()
    asserts: str = ""

    @property
    def watched(self) -> tuple[str, ...]:
        """The objects that have to leave alone what they are given."""
        return tuple(name for name in self.objects if name not in self.changes)


def _with_ask_first(question: type[T]) -> type[T]:
    """Let `Question("id", Ask(...), check, cases)` load as well, as earlier courses write it."""
    begin = question.__init__

    @functools.wraps(begin)
    def started(self: T, id: str, *given: Any, **named: Any) -> None:
        if given and (isinstance(given[0], Ask) or isinstance((*given, None)[1], Check)):
            named, given = {"ask": given[0], **named}, given[1:]
        begin(self, id, *given, **named)  # type: ignore[call-arg]

    question.__init__ = started  # type: ignore[assignment, method-assign]
    return question


@_with_ask_first
@dataclass(frozen=True)
class Question:
    """One line of the mark sheet.

    Args:
        id: The notebook's grade_id.
        check: Judges one case; None for a question marked by hand.
        cases: Draws the hidden inputs from a seeded generator.
        use: A function of staff/adapters.py that evaluates the answer, or its name. Without one, the
            function of the question's name is called with the inputs in their order.
        objects: Names in the student's notebook, given to `use` in this order; the last is the one
            that is evaluated, the others are what it is built on. Default: the question's name.
        hide: Names removed from the notebook before the answer is evaluated, so that a provided
            reference cannot answer for the student.
        may_mutate: Those of the objects that may change what they are given, as a step of training
            does; any other function that does so loses the case.
        shown: Inputs for the visible check, whose cell `autograder release` writes from `check` where
            its author left it empty.
        extra: Extra credit, left out of `Grade.possible`.
        needs: Earlier questions that must earn everything for this one to earn anything: counts
            that only the sandbox can know are worth something when the values are right. What trains
            is left out where they are not right: it takes long.
        if_right: Earlier question -> the message on this one where that is right and this is not.
        visibility: Gradescope's word for when a student may see it.
        gradients: Whether the text asks that gradients flow through the answer: then values that
            are cut off from the inputs have to lose. None where the text does not speak of them.
        milder: Argument of the answer -> why hidden inputs are less extreme than those of its
            visible check there.
        points: Filled in from the notebook, the one place where points are written.
        ask: What `use`, `objects`, `hide` and `may_mutate` say, as one record.
    """

    id: str
    check: Check | None = None
    cases: Callable[[np.random.Generator], Sequence[Inputs]] = one_case
    _: KW_ONLY
    use: InitVar[Callable[..., Any] | str] = ""
    objects: InitVar[Sequence[str]] = ()
    hide: InitVar[Sequence[str]] = ()
    may_mutate: InitVar[Sequence[str]] = ()
    shown: Sequence[Inputs] = field(default=(), hash=False)
    extra: bool = False
    needs: tuple[str, ...] = ()
    if_right: Mapping[str, str] = field(default_factory=dict, hash=False)
    visibility: Visibility = "visible"
    gradients: bool | None = None
    milder: Mapping[str, str] = field(default_factory=dict, hash=False)
    points: float = 0.0
    ask: Ask | None = None

    def __post_init__(
        self,
        use: Callable[..., Any] | str,
        objects: Sequence[str],
        hide: Sequence[str],
        may_mutate: Sequence[str],
    ) -> None:
        """Write down what is asked as one record."""
        if not (use or objects or hide or may_mutate):
            return
        if self.ask:
            raise UserError(
                f"question {self.id!r} has both an Ask and use, objects, hide or may_mutate; give one"
            )
        adapter = use if isinstance(use, str) else getattr(use, "__name__", repr(use))
        # A text in place of a tuple is told with its place, once the homework is read.
        names = [
            one if isinstance(one, str) else tuple(one)
            for one in (objects or (self.id,), hide, may_mutate)
        ]
        object.__setattr__(self, "ask", Ask(adapter, *names))  # type: ignore[arg-type]

    @property
    def by_hand(self) -> bool:
        """Whether a person marks this question."""
        return self.check is None

    @property
    def trains(self) -> bool:
        """Whether an answer trains a model for it, which takes long."""
        return self.check is not None and self.check.trains

    @property
    def once(self) -> bool:
        """Whether each case is evaluated once, and not twice."""
        return self.check is not None and (self.check.trains or self.check.once)

    @property
    def asserted(self) -> bool:
        """Whether its own test cell decides, as it is in the instructor's notebook."""
        return isinstance(self.check, Check) and self.check.reads == "asserts"

    @property
    def formative(self) -> bool:
        """Whether this is written for its own sake: nobody marks it, and it has no points."""
        return self.by_hand and self.points == 0

    def in_parts(self) -> list["Question"]:
        """Return the question once for each part of its check, with the cases that concern it."""
        check, cases = self.check, self.cases
        if check is None:
            return []

        def of(part: Check) -> Callable[[np.random.Generator], Sequence[Inputs]]:
            return lambda rng: [case for case in cases(rng) if part.about(case)]

        return [replace(self, check=part, cases=of(part)) for part in check.parts]


@dataclass(frozen=True)
class LogField:
    """Keys that `submission_log.json` carries at top level, and the ask that gives their values."""

    keys: tuple[str, ...]
    ask: Ask


@dataclass(frozen=True)
class Limits:
    """What one submission may use. Times are seconds of the processor, sizes are bytes."""

    cell_seconds: float = 60.0
    question_seconds: float = 20.0
    submission_seconds: float = 300.0
    notebook_bytes: int = 100_000_000  # outputs included, most of which are not kept
    value_bytes: int = 2_000_000
    output_bytes: int = 10_000_000
    memory_bytes: int = 4_000_000_000


@dataclass(frozen=True)
class Cell:
    """One notebook cell.

    Args:
        id: The cell's id; in a release it is stable and readable.
        type: "code", "markdown" or "raw".
        source: Its text.
        grade_id: nbgrader's id, where it has one.
        role: "provided", "answer" (a solution cell), "check" (a graded test cell),
            "written" (an answer marked by hand) or "demo" (only illustrates; the
            grader may skip it).
        points: nbgrader's points, for "check" and "written".
        outputs: Its stored outputs, as nbformat dictionaries.
        attachments: The images that were pasted into it: name -> base64.
    """

    id: str
    type: str
    source: str
    grade_id: str | None = None
    role: str = "provided"
    points: float | None = None
    outputs: tuple[Mapping[str, Any], ...] = ()
    attachments: Mapping[str, str] = field(default_factory=dict, hash=False)


class LogAnswers(NamedTuple):
    """A log in the original format, read back.

    Args:
        cells: Sources of code cells that define the answers it holds.
        refusals: Question id -> why the log's answer to it cannot count.
    """

    cells: tuple[str, ...]
    refusals: Mapping[str, str]


def _no_log(values: Mapping[str, Any]) -> LogAnswers:  # noqa: ARG001
    raise UserError("this homework is not submitted as a submission_log.json; submit the notebook")


def _as_it_is(code: Sequence[str]) -> Mapping[int, str]:  # noqa: ARG001
    return {}


@dataclass(frozen=True)
class Homework:
    """A homework, as its folder describes it. staff/spec.py gives the first nine fields.

    Args:
        title: What students call it; default: the notebook's first heading.
        questions: In the order of the notebook; written answers that lack one get one.
        limits: What one submission may use.
        warm: Modules that are imported once for all submissions, so that none waits for them.
        log_fields: Top-level keys of submission_log.json beyond our own.
        gives: What the text gives away on purpose, so that it is no leak, and why: fragments of
            code, or ids of cells whose numbers are meant to be seen.
        read_log: Turns such a log back into answers; raises UserError for a malformed one.
        read_notebook: Takes the code of a notebook's cells, and returns the answers that it has in
            an earlier form: for the number of a cell, the source of one that belongs below it.
        collected: Of an imported homework, the names by which nbgrader collected it before, as
            "assignment/notebook"; an assignment may have several notebooks.
        mend: Run the rest of a cell in which Python cannot read some lines. False grades as nbgrader
            does: nothing of such a cell runs.
        name: The folder's name.
        cells: The release notebook, which tells what is provided and what is to be written.
        adapters: Source of staff/adapters.py, sent into the sandbox.
        data: The files that go out beside the notebook, in data/: path -> base64.
        facts_digest: sha256 over what can change what is found out about a submission.
        marks_digest: sha256 over what can change the marks for it.
    """

    title: str = ""
    questions: tuple[Question, ...] = ()
    limits: Limits = Limits()
    warm: tuple[str, ...] = ()
    log_fields: tuple[LogField, ...] = ()
    gives: Mapping[str, str] = field(default_factory=dict, hash=False)
    read_log: Callable[[Mapping[str, Any]], LogAnswers] = _no_log
    read_notebook: Callable[[Sequence[str]], Mapping[int, str]] = _as_it_is
    collected: str = ""
    mend: bool = True
    name: str = ""
    cells: tuple[Cell, ...] = ()
    adapters: str = ""
    data: Mapping[str, str] = field(default_factory=dict, hash=False, repr=False)
    facts_digest: str = ""
    marks_digest: str = ""

    def question(self, id: str) -> Question:
        """Return the question with this id; KeyError if there is none."""
        return next(q for q in self.questions if q.id == id)


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
        local: What the platform wrote, where it is a time with an abbreviation such as PST: the
            course's zone shows which moment that is.
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


@dataclass(frozen=True)
class Misconception:
    """A known mistake that an answer fits: its name for staff, where to look, what it is."""

    name: str
    nudge: str
    explanation: str


@dataclass(frozen=True, slots=True)
class Mark:
    """One line of a graded mark sheet. `earned` is None while a person has not marked it.

    `message` is for the student. `by_hand` tells that its points are not the machine's: a person gives
    them, or a defence. `fault` tells staff why our own check failed on the answer: a first line, and
    the traceback below it.
    """

    question: str
    points: float
    earned: float | None
    message: str
    by_hand: bool = False
    extra: bool = False
    visibility: Visibility = "visible"
    pictures: tuple[Heatmap, ...] = ()
    misconception: Misconception | None = None
    fault: str = ""

    @property
    def verdict(self) -> str:
        """One word for people: "passed", "partly", "failed" or "waiting"."""
        if self.earned is None:
            return "waiting"
        if self.earned >= self.points:
            return "passed"
        return "partly" if self.earned > 0 else "failed"


@dataclass(frozen=True)
class Grade:
    """The marks of one submission.

    Args:
        submission: Which one.
        marks: In the homework's order.
        late: Where it came late, a sentence on that.
        late_share: The share of the points that lateness takes.
        late_points: Of which points: all, or those of the machine.
        time_unknown: Where nobody can tell when it came, a sentence on that, for staff.
        slip_days: Where the course has slip days, a sentence on those used and left.
        remarks: What the student is told above the marks, the most important first.
        complete: Whether every question was evaluated; marks are written while they grow.
        version: Of all that could give other marks to the same facts.
        schema: Version of this record.
    """

    submission: SubmissionId
    marks: tuple[Mark, ...]
    late: str = ""
    late_share: float = 0.0
    late_points: LatePoints = "all"
    time_unknown: str = ""
    slip_days: str = ""
    remarks: tuple[str, ...] = ()
    complete: bool = True
    version: str = ""
    schema: int = 1

    @property
    def penalty(self) -> float:
        """Points that lateness takes, of those that are given by now."""
        counted = [one for one in self.marks if self.late_points == "all" or not one.by_hand]
        return max(0.0, rounded(self.late_share * sum(one.earned or 0.0 for one in counted)))

    @property
    def lost(self) -> bool:
        """Whether lateness takes all points that anybody could give."""
        return self.late_share >= 1 and self.late_points == "all"

    @property
    def score(self) -> float:
        """Points earned so far, extra credit included, without what lateness costs."""
        return rounded(sum(mark.earned or 0.0 for mark in self.marks) - self.penalty)

    @property
    def possible(self) -> float:
        """Points of all questions but extra credit, those marked by hand included."""
        return sum(mark.points for mark in self.marks if not mark.extra)

    @property
    def waiting(self) -> float:
        """Points that a person has still to give."""
        return sum(mark.points for mark in self.marks if mark.earned is None)
