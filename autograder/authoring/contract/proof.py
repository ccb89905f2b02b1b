"""Clauses of the proof, and the grading of the known answers behind them."""

import ast
import contextlib
import functools
import symtable
from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from queue import SimpleQueue
from typing import NamedTuple, Self

import numpy as np

from autograder.authoring.contract.sampling import SECRET
from autograder.course import known_answers
from autograder.course.cells import defined_names, parsed
from autograder.course.course import Course
from autograder.course.homework import HomeworkError
from autograder.grading import pool
from autograder.marking.judge import Judge
from autograder.marking.mark import mark
from autograder.records import codec
from autograder.records.facts import Outcome, Submission, SubmissionLog
from autograder.records.homework import Cell, Homework
from autograder.records.marks import Grade
from autograder.records.questions import Check, Inputs, Question, Value
from autograder.sandbox.execute import Executed, execute
from autograder.sandbox.supervisor import Sandbox

COURSE = Course(title="The contract", term="", secret=SECRET)


@dataclass(frozen=True)
class Clause:
    """One line of the proof: a rule, the case it was tried on, and whether it holds."""

    rule: str
    case: str
    holds: bool
    detail: str


def clause(rule: str, case: str, wrong: str, kept: str) -> Clause:
    """Return a clause that holds if nothing is wrong, with the detail for either outcome."""
    return Clause(rule, case, not wrong, wrong or kept)


def executed(
    submission: Submission,
    chosen: Homework,
    sandbox: Sandbox,
    *,
    all_cells: bool = False,
    as_notebook: bool = True,
) -> tuple[Executed, Grade]:
    """Run a submission to its end and return its marks; raise HomeworkError if a check raises.

    With `as_notebook`, every visible check is called in its cell.
    """
    judging = Judge(chosen, secret=SECRET)
    *_, state = execute(
        submission,
        chosen,
        sandbox=sandbox,
        secret=SECRET,
        settled=judging.passed,
        all_cells=all_cells,
        as_notebook=as_notebook,
    )
    grade = mark(chosen, state.log, COURSE, judge=judging)
    for one in grade.marks:
        if one.fault:
            where = f"source/{chosen.name}/staff: the check of {one.question!r}"
            raise HomeworkError(f"{where} failed: {one.fault.splitlines()[0]}")
    return state, grade


def run(submission: Submission, chosen: Homework, sandbox: Sandbox) -> tuple[SubmissionLog, Grade]:
    """Return a log and marks like a student's: no visible check is called on a right answer."""
    state, grade = executed(submission, chosen, sandbox, as_notebook=False)
    return state.log, grade


class Runs(NamedTuple):
    """Sandboxes that run known answers in parallel, one for each processor."""

    free: SimpleQueue[Sandbox]
    threads: ThreadPoolExecutor

    @classmethod
    @contextlib.contextmanager
    def open(cls, chosen: Homework, first: Sandbox) -> Iterator[Self]:
        """Launch all sandboxes but the first; at the end, drop the runs that nobody waits for."""
        with contextlib.ExitStack() as stack:
            free = SimpleQueue[Sandbox]()
            free.put(first)
            for _ in range(pool.processors() - 1):
                one = stack.enter_context(Sandbox())
                one.expect(chosen)
                one.launch()
                free.put(one)
            threads = ThreadPoolExecutor(pool.processors())
            stack.callback(threads.shutdown, cancel_futures=True)
            yield cls(free, threads)

    def start(
        self, submission: Submission, chosen: Homework, *, all_cells: bool = False
    ) -> Future[tuple[Executed, Grade]]:
        """Start a submission as soon as a sandbox is free; the future has the result of `executed`."""

        def run() -> tuple[Executed, Grade]:
            sandbox = self.free.get()
            try:
                return executed(submission, chosen, sandbox, all_cells=all_cells)
            finally:
                self.free.put(sandbox)

        return self.threads.submit(run)


def quiet(
    submission: Submission, asked: Homework, heard: Collection[str] = ()
) -> tuple[Submission, Homework]:
    """Remove the calls of visible checks, except those of some questions.

    Definitions in their cells stay, as do test cells that decide a question.
    """

    def silenced(cells: Sequence[Cell]) -> tuple[Cell, ...]:
        return tuple(
            replace(c, source=_without_call(c))
            if c.role == "check" and c.grade_id not in heard
            else c
            for c in cells
        )

    return (
        replace(submission, cells=silenced(submission.cells)),
        replace(asked, cells=silenced(asked.cells)),
    )


def _without_call(cell: Cell) -> str:
    lines = cell.source.split("\n")
    for node in (parsed(cell.source) or ast.Module([], [])).body:
        called = node.value if isinstance(node, ast.Expr) else None
        if (
            isinstance(called, ast.Call)
            and called.args
            and ast.unparse(called.args[0]) == repr(cell.grade_id)
        ):
            place = slice(node.lineno - 1, node.end_lineno)
            lines[place] = [""] * len(lines[place])
    return "\n".join(lines)


def compared(chosen: Homework) -> Homework:
    """Leave out trained questions, which are slow and whose weights are not secret."""
    return replace(chosen, questions=tuple(q for q in chosen.questions if not q.trains))


def touched(
    chosen: Homework, answer: known_answers.KnownAnswer, *, trains: bool = True
) -> Homework:
    """Leave out trained questions that an answer does not affect: the instructor's run tries them.

    Without `trains`, affected trained questions are also left out.
    """
    names = defined_names(answer.define)
    asked = {
        question.id
        for question in chosen.questions
        if not question.trains or (trains and question.ask and names & set(question.ask.objects))
    }
    return _only(chosen, asked)


def _only(chosen: Homework, asked: set[str]) -> Homework:
    """Leave out all questions but some and the earlier ones that their messages depend on."""
    for question in reversed(chosen.questions):
        if question.id in asked:
            asked |= {*question.needs, *question.if_right}
    return replace(chosen, questions=tuple(q for q in chosen.questions if q.id in asked))


def concerned(
    chosen: Homework, answer: known_answers.KnownAnswer, *, trains: bool = True
) -> Homework:
    """Leave out questions that an answer cannot affect, and those that `touched` leaves out.

    The questions left out have the instructor's values, which are tried separately.
    """
    left = touched(chosen, answer, trains=trains)
    reached = reach(chosen, answer)
    asked = {one.id for one in left.questions if one.trains or one.id in answer.fails | reached}
    for question in left.questions:
        if asked & {*question.needs, *question.if_right}:
            asked.add(question.id)
    return _only(left, asked)


def reach(chosen: Homework, answer: known_answers.KnownAnswer) -> frozenset[str]:
    """Return the questions whose answers or visible checks an answer may affect.

    It may affect its own names, everything made with them, and all data, since it may change data
    in place. If it might change something that has no name in the notebook, it may affect all
    questions.
    """
    changed = list(_statements(answer.define))
    if any(one.beyond for one in changed):
        return frozenset(question.id for question in chosen.questions)
    code = [c for c in answer.submission.cells if c.type == "code" and c.role != "demo"]
    statements = [(cell, one) for cell in code for one in _statements(cell.source)]
    data = {name for _, one in statements for name in one.binds - one.defines}
    names, before = {name for one in changed for name in one.binds}, -1
    while len(names) > before:
        before = len(names)
        for _, one in statements:
            if one.uses & names:
                names |= one.binds | one.uses & data
    using = {cell.grade_id for cell, one in statements if cell.role == "check" and one.uses & names}
    return frozenset(
        question.id
        for question in chosen.questions
        if question.id in using
        or not (question.ask and question.ask.objects)
        or names & set(question.ask.objects)
    )


class _Statement(NamedTuple):
    """A top-level statement: the names that it uses, binds, and defines as a function or class.

    `beyond` means that it may change something without a name in the notebook.
    """

    uses: frozenset[str]
    binds: frozenset[str]
    defines: frozenset[str]
    beyond: bool


@functools.lru_cache(maxsize=2_000)
def _statements(source: str) -> tuple[_Statement, ...]:
    found = []
    for node in (parsed(source) or ast.Module([], [])).body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            continue
        table = symtable.symtable(ast.unparse(node), "statement", "exec")
        named = isinstance(node, ast.FunctionDef | ast.ClassDef)
        said = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        binds = frozenset(one.get_name() for one in table.get_symbols() if one.is_assigned())
        found.append(
            _Statement(
                uses=frozenset(_global_names(table)),
                binds=binds,
                defines=binds if named else frozenset(),
                beyond=not (named or said or isinstance(node, ast.Assign | ast.AnnAssign))
                or any(map(_reaches_out, ast.walk(node))),
            )
        )
    return tuple(found)


def _global_names(table: symtable.SymbolTable) -> Iterator[str]:
    """Yield the names of the notebook that a scope and its inner scopes read."""
    top = table.get_type() == "module"
    for one in table.get_symbols():
        if one.is_referenced() and (top or one.is_global()):
            yield one.get_name()
    for inner in table.get_children():
        yield from _global_names(inner)


def _reaches_out(node: ast.AST) -> bool:
    """Return whether code changes shared state: a global name, a seed, or a library's settings."""
    if isinstance(node, ast.Attribute):
        owned = isinstance(node.value, ast.Name) and node.value.id == "self"
        sets = node.attr.startswith(("set_", "seed", "manual_seed", "use_deterministic"))
        return sets or (isinstance(node.ctx, ast.Store | ast.Del) and not owned)
    return isinstance(node, ast.Global)


def lost(grade: Grade) -> frozenset[str]:
    """Return the machine-marked questions that lost points."""
    return frozenset(m.question for m in grade.marks if m.verdict in ("partly", "failed"))


def first_loss(grade: Grade) -> str:
    """Return the questions that an answer loses, and the message on the first; "" if it loses none."""
    losses = [one for one in grade.marks if one.question in lost(grade)]
    if not losses:
        return ""
    said = codec.one_line(losses[0].message)
    adapter = "; is its adapter right?" * ("none of your own lines failed" in said)
    names = ", ".join(one.question for one in losses)
    return f"loses {names}; {losses[0].question}: {said}{adapter}"


def listed(questions: Collection[str]) -> str:
    """Return names in order, as text for a detail."""
    return ", ".join(sorted(questions))


def timeless(log: SubmissionLog, *only: Outcome) -> str:
    """Return a log or some outcomes as text, without times and without the list of checks called."""
    outcomes = tuple(replace(outcome, seconds=0.0) for outcome in only or log.outcomes)
    return codec.encode_log(replace(log, outcomes=outcomes, passed_here=(), time=0.0, seconds=0.0))


def judged(check: Check, case: Inputs, value: Value | None) -> tuple[str, float]:
    """Return "" and the fraction of the points that a value earns, or an error's text and 0."""
    if value is None:
        return "", 0.0
    try:
        with np.errstate(all="ignore"):
            return "", check(case, value).fraction
    except Exception as error:
        return f"raises {type(error).__name__} on", 0.0


def earns(question: Question, cases: Sequence[Inputs], outcomes: Sequence[Outcome]) -> bool:
    """Return whether an answer's values are right in every case."""
    check = question.check
    return len(outcomes) == len(cases) and all(
        check is not None and outcome.value is not None and check(case, outcome.value).fraction == 1
        for case, outcome in zip(cases, outcomes, strict=True)
    )
