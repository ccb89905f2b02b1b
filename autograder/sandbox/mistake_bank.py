"""Our own answers (known mistakes, mutants), evaluated like a student's."""

import contextlib
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Self

from autograder.course import known_answers
from autograder.course.cells import defined_names
from autograder.program.build import build
from autograder.records.errors import UserError
from autograder.records.facts import Outcome, Submission
from autograder.records.homework import Homework
from autograder.records.marks import Misconception
from autograder.records.questions import Inputs, Question
from autograder.sandbox.execute import lost
from autograder.sandbox.execution import Execution
from autograder.sandbox.run import Run, RunBroken, RunEnded, SandboxFault
from autograder.sandbox.supervisor import Sandbox


class InstructorRun:
    """The instructor's notebook, run once and kept warm; each ask may replace its answers.

    It has its own sandbox, which starts with the first ask. No student code ever runs there, unless
    files are `hidden` from it. Use it as a context manager.
    """

    def __init__(
        self, homework: Homework, instructor: Submission, *, hidden: Sequence[Path] = ()
    ) -> None:
        self._homework, self._instructor = homework, instructor
        self._sandbox = Sandbox()
        self._sandbox.expect(homework, hidden=hidden)

    def __enter__(self) -> Self:
        self._sandbox.__enter__()
        self._open: tuple[contextlib.ExitStack, Execution, Run] | None = None
        return self

    def __exit__(self, *error: object) -> None:
        self._close()
        self._sandbox.__exit__()

    def outcomes(
        self, question: Question, cases: Sequence[Inputs], defines: Sequence[str] = ()
    ) -> list[tuple[Outcome, ...]]:
        """Return the outcomes of each replacement answer; without any, of the instructor's own."""
        number = len(defines) or 1
        for _ in range(2):  # a run may be used up, so try a new one
            try:
                execution, run = self._run()
                found = execution.ask_others(run, question, cases, defines)
            except RunBroken:
                raise
            except RunEnded as error:
                ended = error
                self._close()
            else:
                size = len(cases)
                return [
                    tuple(replace(o, number=o.number % size) for o in found[at : at + size])
                    for at in range(0, number * size, size)
                ]
        return [(lost(question, ended),)] * number

    def _run(self) -> tuple[Execution, Run]:
        if self._open is None:
            program = build(self._instructor, self._homework)
            execution = Execution(program, self._homework)
            execution.left["own"] = float("inf")
            stack = contextlib.ExitStack()
            run = stack.enter_context(execution.finish(self._sandbox))
            self._open = stack, execution, run
        _, execution, run = self._open
        return execution, run

    def _close(self) -> None:
        if self._open is not None:
            self._open[0].close()
            self._open = None


@contextlib.contextmanager
def bank(course: Path, homework: Homework) -> Iterator["Bank"]:
    """Open a homework's known mistakes; raise HomeworkError if a file of staff/wrong is broken."""
    mistakes = known_answers.wrong(course, homework)
    with InstructorRun(homework, known_answers.instructor(course, homework)) as variants:
        yield Bank(variants, mistakes)


class Bank:
    """The known mistakes of a homework, and the results of each on the same inputs."""

    def __init__(
        self, variants: InstructorRun, mistakes: Sequence[known_answers.KnownAnswer]
    ) -> None:
        self._variants, self._mistakes = variants, mistakes
        self._fixed: dict[str, _Given] = {}
        self.broken = ""
        """The reason why no mistake can be tried here, if any; marks do not depend on it."""

    def __call__(
        self,
        question: Question,
        cases: Sequence[Inputs],
        /,
        *,
        among: Collection[str] | None = None,
    ) -> "_Given":
        """Return the mistakes for a question, among those named, with their outcomes."""
        if cases[0]:
            return self._ask(question, cases, among)
        if question.id not in self._fixed:  # no hidden input: the same for every submission
            given = self._ask(question, cases, None)
            if any(outcome.status in _LOST for _, outcomes in given for outcome in outcomes):
                return given
            self._fixed[question.id] = given
        return self._fixed[question.id]

    def _ask(
        self, question: Question, cases: Sequence[Inputs], among: Collection[str] | None
    ) -> "_Given":
        assert question.ask is not None
        objects = set(question.ask.objects)
        concerned = [
            mistake
            for mistake in self._mistakes
            if question.id in mistake.fails
            and defined_names(mistake.define) & objects
            # A mistake in an answer that this one builds on is reported at that answer's question.
            and not mistake.fails & set(question.if_right)
            and (among is None or mistake.name in among)
        ]
        if not concerned or self.broken:
            return []
        try:
            found = self._variants.outcomes(question, cases, [m.define for m in concerned])
        except (UserError, SandboxFault, RunBroken) as error:  # no sandbox is available
            self.broken = str(error).split("\n")[0]
            return []
        names = [Misconception(m.name, m.written.nudge, m.written.explanation) for m in concerned]
        return list(zip(names, found, strict=True))


_LOST = ("killed", "timed_out", "not_run")
_Given = Sequence[tuple[Misconception, Sequence[Outcome]]]
