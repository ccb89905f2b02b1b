"""The homework contract, clause by clause, over one folder of source/."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from autograder import codec, homework, known
from autograder.authoring import release
from autograder.facts.execute import execute
from autograder.facts.sandbox import Sandbox
from autograder.marks.judge import judge
from autograder.model import Grade, HandIn, Homework, SubmissionLog

SECRET = "contract"


@dataclass(frozen=True)
class Clause:
    """One line of the proof: a rule, the case it was tried on, and whether it holds."""

    rule: str
    case: str
    holds: bool
    detail: str


def clauses(course: Path, name: str) -> Iterator[Clause]:
    """Try every rule of the contract on one homework.

    Raises:
        HomeworkError: rule 1 does not hold, so nothing else can be tried.
    """
    chosen = homework.load(course, name)
    points = sum(question.points for question in chosen.questions if not question.extra)
    ids = f"{len(chosen.questions)} questions, {points:g} points"
    yield Clause("1 ids", "all", True, ids)
    stale = release.stale_release(course, name)
    yield Clause("6 release is fresh", "release", stale is None, stale or "byte for byte")
    stale = release.stale_solution(course, name)
    yield Clause(
        "6 solutions are fresh", "solutions", stale is None, stale or "cell sources and digest"
    )
    leaked = leaks(course, chosen)
    yield Clause("3 nothing leaks", "release", not leaked, leaked or "no solution, no staff file")
    with Sandbox() as sandbox:
        yield from _graded(course, chosen, sandbox)


def _graded(course: Path, chosen: Homework, sandbox: Sandbox) -> Iterator[Clause]:
    instructor = known.instructor(course, chosen)
    log, grade = run(instructor, chosen, sandbox)
    lost = _lost(grade)
    yield Clause("2 instructor earns all", "instructor", not lost, _names(lost) or _score(grade))
    again, _ = run(instructor, chosen, sandbox)
    same = timeless(log) == timeless(again)
    yield Clause(
        "7 graded twice", "instructor", same, "the same log" if same else "the logs differ"
    )
    log, grade = run(known.unfilled(chosen), chosen, sandbox, all_cells=True)
    earned = frozenset(
        mark.question for mark in grade.marks if mark.earned is None or mark.earned > 0
    )
    silent = frozenset(m.question for m in grade.marks if not m.message.startswith("Not written"))
    good = not (earned or silent or log.errors)
    detail = "; ".join(
        [f"earns {_names(earned)}"] * bool(earned)
        + [f"no word on {_names(silent)}"] * bool(silent)
        + [f"{error.cell} fails: {error.name}: {error.message}" for error in log.errors]
    )
    yield Clause(
        "3 release runs, earns 0", "release", good, detail or "runs to its last cell, 0 points"
    )
    for answer in known.wrong(course, chosen):
        _, grade = run(answer.hand_in, chosen, sandbox)
        lost = _lost(grade)
        detail = f"loses {_names(lost) or 'nothing'}"
        if lost != answer.fails:
            detail += f", should lose {_names(answer.fails)}"
        yield Clause("4 wrong loses its own", answer.name, lost == answer.fails, detail)
    for answer in known.right(course, chosen):
        _, grade = run(answer.hand_in, chosen, sandbox)
        lost = _lost(grade)
        yield Clause(
            "5 right in other ways",
            answer.name,
            not lost,
            f"loses {_names(lost)}" if lost else answer.says,
        )


def run(
    hand_in: HandIn, chosen: Homework, sandbox: Sandbox, *, all_cells: bool = False
) -> tuple[SubmissionLog, Grade]:
    """Grade one hand-in and return its log and its marks."""
    *_, (log, _) = execute(hand_in, chosen, sandbox=sandbox, secret=SECRET, all_cells=all_cells)
    return log, judge(chosen, log, secret=SECRET)


def _lost(grade: Grade) -> frozenset[str]:
    """Return the machine-marked questions that did not earn everything."""
    return frozenset(
        mark.question
        for mark in grade.marks
        if mark.earned is not None and mark.earned < mark.points
    )


def _names(questions: frozenset[str]) -> str:
    return ", ".join(sorted(questions))


def _score(grade: Grade) -> str:
    return f"{grade.score:g} of {grade.possible:g} points, {grade.waiting:g} by hand"


def timeless(log: SubmissionLog) -> str:
    """Return a log as text, without the times that differ between two runs."""
    outcomes = tuple(replace(outcome, seconds=0.0) for outcome in log.outcomes)
    return codec.encode_log(replace(log, outcomes=outcomes, time=0.0, seconds=0.0))


def leaks(course: Path, chosen: Homework) -> str:
    """Return what of the solutions or of staff/ can be read in the release, or nothing."""
    text = "\n".join(_texts(course, chosen.name))
    source = homework.read_cells(course / "source" / chosen.name / f"{chosen.name}.ipynb")
    answers = [cell for cell in source if cell.role in ("answer", "written")]
    provided = "\n".join(cell.source for cell in source if cell not in answers)
    given = [cell.source for cell in chosen.cells if cell.role in ("answer", "written")]
    stubs = {line.strip() for source in given for line in source.splitlines()}
    for cell in answers:
        for line in map(str.strip, cell.source.splitlines()):
            secret = len(line) > 12 and line not in provided and line not in stubs
            if secret and line in text:
                return f"a line of the answer {cell.id!r} stands in the release: {line}"
    for path in (course / "source" / chosen.name / "staff").rglob("*.*"):
        if path.name in text:
            return f"the release names the staff file {path.name}"
    return ""


def _texts(course: Path, name: str) -> Iterator[str]:
    """Yield every text of the release: file by file, a notebook string by string."""
    for path in sorted((course / "release" / name).rglob("*")):
        if path.suffix in (".ipynb", ".json"):
            yield from _strings(json.loads(path.read_bytes()))
        elif path.suffix in (".md", ".txt", ".py", ".csv"):
            yield path.read_text(encoding="utf-8")


def _strings(value: object) -> Iterator[str]:
    """Yield the texts in a JSON value; a list of lines is one text."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list) and all(isinstance(item, str) for item in value):
        yield "".join(value)
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from _strings(item)
