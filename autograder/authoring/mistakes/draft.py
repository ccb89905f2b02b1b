"""A wrong answer -> a known mistake: the smallest edit of the solution with the same result.

It tries every small change of the solution, then the differing lines of the student's answer, a few
at a time, then the whole answer. The draft goes into staff/mistakes.toml; if no edit gives the same
result, the student's code goes into staff/wrong/.
"""

import itertools
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from autograder.authoring import preview
from autograder.authoring.contract import proof
from autograder.authoring.mistakes import changed_text
from autograder.course import course, homework, inputs, known_answers
from autograder.course.cells import defined_names
from autograder.marking.diagnose import is_of
from autograder.program import mutants
from autograder.records import digests
from autograder.records.digests import group_name
from autograder.records.errors import UserError
from autograder.records.facts import Common, Submission
from autograder.records.homework import Cell, Homework
from autograder.records.questions import Question
from autograder.reports.report import own_code
from autograder.sandbox.mistake_bank import InstructorRun
from autograder.sandbox.supervisor import Sandbox
from autograder.staff.class_page import names
from autograder.store import executed, files, results

TOGETHER = 40
"""The number of changes tried in one run."""


@dataclass(frozen=True)
class Draft:
    """A drafted known mistake."""

    name: str
    """Its name in mistakes.toml, or that of the file in wrong/."""
    path: Path
    edits: tuple[tuple[str, str], ...]
    """Pieces of the solution, each with its replacement; none for a whole answer."""
    fails: tuple[str, ...]
    group: str
    """The named group that it replaces, or ""."""


def draft(
    root: Path, name: str, question: str, source: Path, *, sentence: str = "", where: str = ""
) -> Draft:
    """Write a known mistake from a wrong answer in a student's folder of results, or a notebook.

    The sentence on it and where to look are by default those of its named group.

    Raises:
        UserError: the answer is not wrong there, has no sentence, or no edit gives the same result.

    """
    chosen = homework.load(root, name)
    asked = _asked(chosen, question)
    folder = source if source.is_dir() else preview.grade(root, name, str(source)).folder
    common = _common(chosen, asked, folder)
    group = next((one for one in chosen.named if is_of(one, question, common)), None)
    sentence = sentence or (group.sentence if group else "")
    if not sentence:
        raise UserError(
            f"{question}: this group has no name yet; describe the mistake with --sentence"
        )
    where = where or (group.where if group else "") or sentence
    own = own_code(chosen, executed.own_sources(folder)).get(question, "")
    instructor = known_answers.instructor(root, chosen)
    cells = _answer_cells(instructor, asked)
    code = ""
    # Small changes of the solution come first: no student code runs among them.
    changes = ((cell.id, one.source) for cell in cells for one in mutants.mutants(cell.source))
    with InstructorRun(chosen, instructor) as runs:
        edits = changed_text.edits(_first(runs, asked, common, changes), cells)
    if not edits:
        hidden = [*course.private(root), folder.parent]
        with InstructorRun(chosen, instructor, hidden=hidden) as runs:
            found = _first(runs, asked, common, changed_text.of_answer(cells, own))
            edits = changed_text.edits(found, cells)
            if not edits and (whole := changed_text.whole(own)):
                same = _first(runs, asked, common, [("", whole)])
                code = whole if same else ""
    if not edits and not code:
        raise UserError(
            f"{question}: neither a small change of the solution nor the student's code "
            "alone gives the same result; write the mistake into staff/wrong/ by hand"
        )
    called = (group.name if group else group_name(question, common)).replace("-", "_")
    if called in {one.name for one in known_answers.wrong(root, chosen)}:
        raise UserError(f"{called}: source/{name}/staff already has a known mistake of this name")
    staff = root / "source" / name / "staff"
    path = staff / "mistakes.toml" if edits else staff / "wrong" / f"{called}.py"
    before = path.read_text(encoding="utf-8") if path.is_file() else ""

    def text(fails: tuple[str, ...]) -> str:
        said = (sentence, where, fails)
        return _table(called, *said, edits) if edits else _module(*said, code)

    path.parent.mkdir(exist_ok=True)
    last = text((question,))
    files.write(path, added(before, last))
    try:
        fails = _lost(root, chosen, called)
        now, final = path.read_text(encoding="utf-8"), text(fails)
        if last in now:  # otherwise its author has changed it
            files.write(path, now.replace(last, final))
            last = final
        known_answers.wrong(root, chosen)
    except BaseException:
        if kept := removed(path, before, last):
            files.write(path, kept)
        else:
            path.unlink(missing_ok=True)
        raise
    if group:
        names.forget(root, chosen, group.name)
    return Draft(called, path, edits, fails, group.name if group else "")


def _asked(chosen: Homework, question: str) -> Question:
    there = {one.id: one for one in chosen.questions if one.ask and one.check and not one.asserted}
    if question not in there:
        raise UserError(
            f"{chosen.name} has no question {question!r} with a check; choose from "
            f"{', '.join(there)}"
        )
    return there[question]


def _common(chosen: Homework, question: Question, folder: Path) -> Common:
    if not results.has_log(folder):
        raise UserError(f"{folder} has no results; give a student's folder in D, or a notebook")
    log = results.read_log(folder)
    if log.homework != chosen.name:
        raise UserError(f"{folder} has results of {log.homework}, not of {chosen.name}")
    if (common := log.common.get(question.id)) is None:
        raise UserError(
            f"{folder}: no wrong result for {question.id} is known: the answer is right, "
            "not written, or timed out"
        )
    if common.inputs != inputs.common(question).digest:
        raise UserError(f"{folder}: {question.id} has different inputs now; run `autograder grade`")
    return common


def _answer_cells(instructor: Submission, question: Question) -> list[Cell]:
    objects = {*(question.ask.objects if question.ask else ())}
    return [
        cell
        for cell in instructor.cells
        if cell.role == "answer" and cell.type == "code" and objects & defined_names(cell.source)
    ]


def _first(
    runs: InstructorRun, question: Question, common: Common, tried: Iterable[tuple[str, str]]
) -> tuple[str, str] | None:
    """Return the first change with the same result as an answer: a cell's id and new source."""
    cases, left = inputs.common(question).cases, iter(tried)
    while some := list(itertools.islice(left, TOGETHER)):
        answers = runs.outcomes(question, cases, [source for _, source in some])
        for one, outcomes in zip(some, answers, strict=True):
            if digests.alike(tuple(map(digests.digest, outcomes)), common.values):
                return one
    return None


def _lost(root: Path, chosen: Homework, name: str) -> tuple[str, ...]:
    """Return the questions that a known mistake loses, in the homework's order."""
    answer = next(one for one in known_answers.wrong(root, chosen) if one.name == name)
    with Sandbox() as sandbox:
        hidden = course.private(root)
        sandbox.expect(chosen, hidden=hidden)
        asked = proof.touched(chosen, answer)
        _, grade = proof.run(answer.submission, asked, sandbox)
    lost = proof.lost(grade)
    return tuple(one.id for one in chosen.questions if one.id in lost)


def added(before: str, piece: str) -> str:
    """Return a file's text with a piece after it."""
    return f"{before.rstrip()}\n\n{piece}".lstrip()


def removed(path: Path, before: str, piece: str) -> str:
    """Return a file's text without its last piece, with what its author saved meanwhile."""
    now = path.read_text(encoding="utf-8") if path.is_file() else ""
    return before if now == added(before, piece) else now.replace(piece, "")


def _table(
    name: str,
    sentence: str,
    where: str,
    fails: Sequence[str],
    edits: Sequence[tuple[str, str]],
) -> str:
    pairs = "".join(f"    [{_quote(old)}, {_quote(new)}],\n" for old, new in edits)
    return (
        f"[{name}]\nsays = {_quote(sentence)}\nfails = [{', '.join(map(_quote, fails))}]\n"
        f"nudge = {_quote(where)}\nexplanation = {_quote(sentence)}\nedits = [\n{pairs}]\n"
    )


def _module(sentence: str, where: str, fails: Sequence[str], code: str) -> str:
    return (
        f"{_quote(sentence)}\n\nFAILS = {tuple(fails)!r}\nNUDGE = {where!r}\n"
        f"EXPLANATION = {sentence!r}\n\n\n{code}\n"
    )


def _quote(text: str) -> str:
    """Return a text as a string of TOML and of Python."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
