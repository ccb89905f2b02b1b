"""The run of a submission and the evaluation of its questions: a SubmissionLog that grows."""

import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from autograder.course import inputs
from autograder.course.cells import defines, used_names
from autograder.course.inputs import Drawn, Plan
from autograder.program import rebinding
from autograder.program.build import Step, build
from autograder.records import codec, digests, versions
from autograder.records.data import encode_value
from autograder.records.facts import (
    NOT_TRAINED,
    At,
    Common,
    Outcome,
    Status,
    Submission,
    SubmissionLog,
)
from autograder.records.homework import Homework
from autograder.records.questions import Question
from autograder.sandbox.execution import Execution
from autograder.sandbox.run import Run, RunBroken, RunEnded
from autograder.sandbox.supervisor import Sandbox

_MAX_REPEATS = 5
# Slower wrong answers are not evaluated on the shared inputs.
_SLOW_ANSWER_SECONDS = 5.0
# A log is written with its values, and has to stay below the size that can be read.
_VALUES_BYTES = 3 * codec.MAX_BYTES // 5
_NOT_KEPT = "The results of all questions together are too large, so this one is missing."
NOT_AGAIN = "`{}` did not finish in time for `{}`, so it was not called again."
Settled = Callable[[SubmissionLog], Collection[str]]


class Executed(NamedTuple):
    """A log so far, and a function that returns the program's cells with their outputs so far."""

    log: SubmissionLog
    steps: Callable[[], tuple[Step, ...]]


def execute(
    submission: Submission,
    homework: Homework,
    *,
    sandbox: Sandbox,
    secret: str,
    settled: Settled,
    all_cells: bool = False,
    as_notebook: bool = False,
) -> Iterator[Executed]:
    """Run a submission and evaluate its questions; yield the log after each one.

    The first log yielded has no outcomes, the last one has all of them, whatever the submission
    does. Nothing here compares values. Questions that `settled` returns for a log are already
    right: they are not evaluated again at the notebook's end, and their visible checks are called
    only with `all_cells` or `as_notebook`.

    Raises:
        RunBroken: code of ours failed in the submission's process.
        SandboxFault: the sandbox does not work.
    """
    started = time.monotonic()
    program = build(submission, homework, all_cells=all_cells)
    asked = [question for question in homework.questions if question.ask]
    places = {question.id: place for place, question in enumerate(asked)}
    plans = {q.id: inputs.plan(q, submission=submission.id, secret=secret) for q in asked}
    execution = Execution(
        program, homework, helpers=submission.helpers, as_notebook=as_notebook or all_cells
    )
    log = SubmissionLog(
        homework=homework.name,
        submission=submission.id,
        versions=versions.facts(homework),
        inputs=inputs.digests(homework, submission=submission.id, secret=secret),
        isolation=() if program.unrelated else sandbox.layers,
        remarks=(*submission.remarks, *rebinding.remarks(program, asked)),
        repairs=program.repairs,
        written=program.written,
        candidates=program.candidates,
        receipt=submission.receipt,
        time=time.time(),
        unrelated=program.unrelated,
        complete=program.unrelated,
    )
    yield Executed(log, execution.steps)
    if program.unrelated:
        return

    def wrong() -> list[tuple[Question, Drawn]]:
        done = {*settled(log), *submission.refusals}
        return in_common(log, [question for question in asked if question.id not in done])

    schedule = Schedule(execution, asked, plans, submission.refusals, lambda: settled(log), wrong)
    room = _VALUES_BYTES
    for found, common, original in schedule.outcomes(sandbox):
        found, room = kept_within(found, room)
        passed, complaints = execution.said_here()
        log = replace(
            log,
            outcomes=tuple(
                sorted(
                    log.outcomes + found,
                    key=lambda o: (places[o.question], o.at, o.number, o.again),
                )
            ),
            common={**log.common, **common},
            original={**log.original, **original},
            repairs=(*program.repairs, *execution.repairs),
            errors=tuple(execution.errors.values()),
            passed_here=passed,
            complaints_here=complaints,
            seconds=time.monotonic() - started,
        )
        yield Executed(log, execution.steps)
    yield Executed(replace(log, complete=True, seconds=time.monotonic() - started), execution.steps)


def in_common(log: SubmissionLog, wrong: Sequence[Question]) -> list[tuple[Question, Drawn]]:
    """Return the wrong answers to evaluate again, on inputs that all submissions share.

    Leave out unwritten, crashed and slow answers, and test cells.
    """
    found = []
    for question in wrong:
        own = log.of(question.id)
        if (
            own
            and all(outcome.says_something for outcome in own)
            and sum(outcome.seconds for outcome in own) < _SLOW_ANSWER_SECONDS
            and not question.trains
            and not question.asserted
        ):
            found.append((question, inputs.common(question)))
    return found


def kept_within(found: Sequence[Outcome], room: int) -> tuple[tuple[Outcome, ...], int]:
    """Return outcomes, without any values that exceed this many bytes in a log, and the bytes left."""
    kept = []
    for outcome in found:
        size = 0
        if outcome.value is not None:
            size = len(codec.indented([[[encode_value(outcome.value)]]]))  # as deep as in a log
        if size > room:
            outcome = replace(outcome, status="refused", value=None, error=_NOT_KEPT)
        else:
            room -= size
        kept.append(outcome)
    return tuple(kept), room


class _Batch(NamedTuple):
    outcomes: tuple[Outcome, ...] = ()
    common: Mapping[str, Common] = {}
    original: Mapping[str, Any] = {}


@dataclass
class Schedule:
    """The times at which questions are evaluated.

    Each is evaluated just above its own check cell, and again at the end unless it is settled by
    then. If an answer does not finish, its check cell is not called. A run that a cell or a
    question ends is repeated for the remaining questions.
    """

    execution: Execution
    questions: Sequence[Question]
    plans: Mapping[str, Plan]
    refusals: Mapping[str, str]
    settled: Callable[[], Collection[str]]
    wrong: Callable[[], Sequence[tuple[Question, Drawn]]]

    def __post_init__(self) -> None:
        self._program = self.execution.program
        self._stops = {id: self._above(stop) for id, stop in self._program.stops.items()}
        asked = {q.id: q for q in self.questions if q.id not in self.refusals}
        self._at_check = {id: question for id, question in asked.items() if id in self._stops}
        self._at_end = {id: question for id, question in asked.items() if id not in self._stops}
        self._checked: dict[str, Question] = {}
        self._gone: list[Outcome] = []
        """Questions that ended a run, and are not evaluated again."""
        self._endless: dict[str, str] = {}
        """Objects that did not finish in time, with the question that first called each."""

    def outcomes(self, sandbox: Sandbox) -> Iterator[_Batch]:
        """Yield the questions' outcomes, then results without points, and last the fields of a given log."""
        for id, reason in self.refusals.items():
            yield _Batch((Outcome(id, 0, "refused", error=reason, at="check"),))
        ended = RunEnded()
        for repeat in range(_MAX_REPEATS + 1):
            if repeat == _MAX_REPEATS:
                self.execution.left_out |= {n for n, s in enumerate(self._program.steps) if s.added}
            stops = {self._stops[id] for id in self._at_check}
            with self.execution.start(sandbox, stops=stops) as run:
                try:
                    yield from self._at_checks(run, stops)
                    yield from self._at_the_end(run)
                    yield from self._without_marks(run)
                    return
                except RunBroken:
                    raise
                except RunEnded as error:
                    ended = error
            while self._gone:
                yield _Batch((self._gone.pop(),))
            if self.execution.left["own"] <= 0:
                break
        for question in (*self._at_check.values(), *self._at_end.values()):
            yield _Batch((lost(question, ended),))

    def _at_checks(self, run: Run, stops: Collection[int]) -> Iterator[_Batch]:
        for stop in self.execution.run_cells(run, stops):
            for question in [q for q in self._at_check.values() if self._stops[q.id] == stop]:
                if self._cannot_count(question):  # this may be the notebook's end
                    self._at_end[question.id] = self._at_check.pop(question.id)
                    continue
                found = self._evaluate(run, question, "check", self._at_check)
                yield _Batch(found)
                if not any(o.status in ("timed_out", "killed") for o in found):
                    self._checked[question.id] = question
            changed = sorted(self._call_checks(stop) | self.execution.reduced)
            run.send({"go": [(number, self.execution.source(number)) for number in changed]})

    def _call_checks(self, stop: int) -> set[int]:
        """Call the checks of answers that are not right here; return their cells' numbers."""
        here = self._checked.keys() - self.settled()
        numbers = {self._program.stops[id] for id in here if self._stops[id] == stop}
        for number in numbers & self.execution.uncalled.keys():
            calls = rebinding.called(self._program.steps[number].cell.source)
            if not self._endless.keys() & calls:
                del self.execution.uncalled[number]
        return numbers

    def _at_the_end(self, run: Run) -> Iterator[_Batch]:
        done = self.settled()
        self._at_end |= {id: q for id, q in self._checked.items() if self._once_more(q, done)}
        self._checked.clear()
        for question in [q for q in self.questions if q.id in self._at_end]:
            if self._cannot_count(question):
                del self._at_end[question.id]
                yield _Batch((Outcome(question.id, 0, "not_run", error=NOT_TRAINED),))
                continue
            yield _Batch(self._evaluate(run, question, "end", self._at_end))

    def _without_marks(self, run: Run) -> Iterator[_Batch]:
        try:
            for question, drawn in self.wrong():
                outcomes = self.execution.ask_others(run, question, drawn.cases, ())
                given = tuple(digests.digest(outcome) for outcome in outcomes)
                yield _Batch(common={question.id: Common(drawn.digest, given)})
            fields = self.execution.homework.log_fields
            called = [one for one in fields if not self._endless.keys() & {*one.ask.objects}]
            yield _Batch(original=self.execution.original(run, called))
        except RunBroken:
            raise
        except RunEnded:  # outcomes that earn nothing are not tried again
            pass

    def _evaluate(
        self,
        run: Run,
        question: Question,
        at: At,
        waiting: dict[str, Question],
    ) -> tuple[Outcome, ...]:
        """Return a question's outcomes in the run's current state; raise RunEnded if the run ends.

        The question then stays in `waiting`, unless it has ended a run before.
        """
        name = next((name for name in self._called(question) if name in self._endless), "")
        if name:
            del waiting[question.id]
            return (Outcome(question.id, 0, "timed_out", error=self._endless[name], at=at),)
        try:
            found = self.execution.ask(run, question, self.plans[question.id])
        except RunEnded as error:
            if error.timed_out:
                self._give_up(question)
            if not self.execution.first_end(question.id, error):
                del waiting[question.id]
                self._gone.append(replace(lost(question, error), at=at))
            raise
        del waiting[question.id]
        if any(outcome.status == "timed_out" for outcome in found):
            self._give_up(question)
        return tuple(replace(outcome, at=at) for outcome in found)

    def _called(self, question: Question) -> Sequence[str]:
        assert question.ask is not None
        if not question.asserted:
            return question.ask.objects
        used = used_names(question.ask.asserts)
        return sorted(
            used
            & {n for c in self.execution.homework.cells if c.role == "answer" for n in defines(c)}
        )

    def _give_up(self, question: Question) -> None:
        """Stop calling an answer that did not finish, in questions, checks and added cells."""
        called = self._called(question)
        sources = [step.cell.source for step in self._program.steps if step.runs]
        if called and (
            len(called) == 1 or not question.asserted
        ):  # a test does not show which answer it was
            why = NOT_AGAIN.format(called[-1], question.id)
            for name in rebinding.users(called[-1], sources):
                self._endless.setdefault(name, why)
        checks = {stop: id for id, stop in self._program.stops.items()}
        below = self._program.stops.get(question.id, len(self._program.steps))
        for number, step in enumerate(self._program.steps):
            own = step.own and step.runs and number > below
            if number in self.execution.reduced or not (own or number in checks):
                continue
            calls = rebinding.called(self.execution.source(number))
            names = sorted(self._endless.keys() & calls)
            if names or (question.asserted and checks.get(number) == question.id):
                self.execution.reduced.add(number)
            if names and own:
                self.execution.note_repair(
                    f"In {step.name}, only the definitions ran: {self._endless[names[0]]}"
                )

    def _above(self, stop: int) -> int:
        """Return the last step above a check, skipping other checks and steps that do not run.

        Questions about the same objects with consecutive checks share a fork there. A test that is
        itself the question may use definitions from the one above.
        """
        steps = self._program.steps
        checks = {n for n in self._program.stops.values() if not self.execution.is_asserted(n)}
        number = stop - 1
        while number > 0 and stop in checks and (number in checks or not steps[number].runs):
            number -= 1
        return max(number, 0)

    def _once_more(self, question: Question, done: Collection[str]) -> bool:
        if question.id in done:
            return False
        if question.trains:  # takes long
            return bool(rebinding.names(self._program, question)) or self._binds_more(question)
        if question.asserted and rebinding.by_another_part(self._program, question):
            return False
        stop = self._program.stops[question.id]
        below = self._program.steps[stop + 1 :]
        return any(step.runs and step.own for step in below) or self._binds_more(question)

    def _binds_more(self, question: Question) -> bool:
        """Return whether a cell between the evaluation and the end of the check binds a name that the answer uses."""
        first, stop = self._stops[question.id], self._program.stops[question.id]
        return rebinding.binds(self._program, question, range(first + 1, stop + 1))

    def _cannot_count(self, question: Question) -> bool:
        """Return whether to skip a slow question because one that it needs already failed."""
        return question.trains and not set(question.needs) <= {*self.settled()}


def lost(question: Question, ended: RunEnded) -> Outcome:
    """Return the outcome of a question that the end of a run left open."""
    status: Status = "timed_out" if ended.timed_out else "killed"
    return Outcome(question.id, 0, status, error=ended.why)
