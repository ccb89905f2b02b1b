"""A homework as described by its folder, and the cells of its notebook."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from autograder.records.errors import UserError
from autograder.records.questions import Ask, Question

if TYPE_CHECKING:
    from autograder.records.marks import NamedGroup


@dataclass(frozen=True)
class LogField:
    """Top-level keys in `submission_log.json`, and the call that returns their values."""

    keys: tuple[str, ...]
    ask: Ask


@dataclass(frozen=True)
class Limits:
    """Limits of one submission. Times are seconds of processor time, sizes are bytes.

    `question_seconds` is the limit for one case. All cases of a question together have twice that,
    or just that if its check evaluates each case only once.
    """

    cell_seconds: float = 60.0
    question_seconds: float = 20.0
    submission_seconds: float = 300.0
    notebook_bytes: int = 100_000_000  # including outputs, most of which are dropped
    value_bytes: int = 2_000_000
    output_bytes: int = 10_000_000
    memory_bytes: int = 4_000_000_000

    def for_all_cases(self, question: Question) -> float:
        """Return the seconds that all cases of a question have together."""
        # Some cases come twice, and a single one always does.
        return self.question_seconds if question.once else 2 * self.question_seconds


@dataclass(frozen=True)
class Cell:
    """One notebook cell.

    Args:
        id: The cell's id; in a release it is stable and readable.
        type: "code", "markdown" or "raw".
        source: Its text.
        grade_id: nbgrader's id, if it has one.
        role: "provided", "answer" (a solution cell), "check" (a graded test cell),
            "written" (an answer marked by hand) or "demo" (an illustration that the grader may skip).
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
        cells: Sources of code cells that define its answers.
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
    """A homework as described by its folder. The first ten fields come from staff/spec.py.

    Args:
        title: Its title for students; default: the notebook's first heading.
        questions: Questions in the notebook's order; written answers without a question get one.
        limits: The limits of one submission.
        warm: Modules that are imported once for all submissions, to save time.
        log_fields: Top-level keys of submission_log.json beyond our own.
        allowed_leaks: Text given away on purpose, and why, so that it does not count as a leak:
            fragments of code, or ids of cells whose numbers are meant to be seen. A fragment is all
            or part of a line from the release, not the similar line of the solution: for the
            message ``a line of the answer 'bare', with other names: `old = text.strip()``` write
            `allowed_leaks={"old = text.strip()": "an idiom", "text_6": "forms of dates"}`. For a
            file of data/ or figures/ that cannot be searched, write its path: "data/scan.pdf".
        read_log: Turns a log in the original format into answers; raises UserError for a malformed one.
        read_notebook: Takes the code of a notebook's cells, and returns answers in an earlier form: cell number -> source of a cell to insert below it.
        collected: For an imported homework, nbgrader's earlier names for it, as "assignment/notebook"; an assignment may have several notebooks.
        mend: Run the rest of a cell that has lines with syntax errors. With False, nothing of such a cell runs, as in nbgrader.
        name: The folder's name.
        cells: The cells of the release, which show what is provided and what students write.
        adapters: Source of staff/adapters.py, sent into the sandbox.
        data: The files that students get beside the notebook, in data/: path -> base64.
        named: Groups of wrong answers with names from people.
        facts_digest: sha256 over everything that can change a submission's facts.
        marks_digest: sha256 over everything that can change its marks.
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
    named: tuple["NamedGroup", ...] = ()
    facts_digest: str = ""
    marks_digest: str = ""

    def question(self, id: str) -> Question:
        """Return the question with this id; KeyError if there is none."""
        return next(q for q in self.questions if q.id == id)
