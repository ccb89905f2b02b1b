"""A homework as its folder describes it, and the cells of its notebook."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from autograder.records.errors import UserError
from autograder.records.questions import Ask, Question


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
        allowed_leaks: What the text gives away on purpose, so that it is no leak, and why: fragments of
            code, or ids of cells whose numbers are meant to be seen. A fragment is a line, or a part of
            one, as the release has it, and not the solution's line that is like it: of the message
            ``a line of the answer 'bare', with other names: `old = text.strip()``` it is
            `allowed_leaks={"old = text.strip()": "an idiom", "text_6": "forms of dates"}`.
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
    allowed_leaks: Mapping[str, str] = field(default_factory=dict, hash=False)
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
