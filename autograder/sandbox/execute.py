"""Homework + submission -> SubmissionLog, growing question by question."""

import ast
import re
import sys
import sysconfig
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple, get_args

from autograder.course import inputs
from autograder.course.cells import defined_names, defines, newer_syntax, parsed, used_names
from autograder.course.inputs import Drawn, Plan
from autograder.program import rebinding
from autograder.program.build import Program, Step, build
from autograder.records import codec, digests, versions
from autograder.records.data import decode_value, encode_inputs
from autograder.records.errors import UserError
from autograder.records.facts import (
    NOT_TRAINED,
    At,
    CellError,
    Common,
    Outcome,
    Remark,
    Status,
    Submission,
    SubmissionLog,
)
from autograder.records.homework import Homework
from autograder.records.questions import Ask, Inputs, Question
from autograder.sandbox.run import Run, RunBroken, RunEnded
from autograder.sandbox.supervisor import Sandbox

SEED = 0
PASSED = "passed"
MOST_SAID = 300
"""Characters of what a check in a notebook says, which code of a student's may have printed."""
# A question's own clock runs inside the sandbox; ours only ends what ignores it.
MARGIN_SECONDS = 5.0
MAX_REPEATS = 5
# Provided and answer cells may take this part of a submission's time in each run, so that one
# repeat and the questions always have theirs.
CELLS_SHARE = 0.4
# Added cells have this part beside a submission's time, in all runs together.
ADDED_SHARE = 0.4
# An added cell that takes longer is left out when that is used up, unless an answer needs it.
_SLOW_SECONDS = 5.0
# A wrong answer that took longer is not evaluated for the inputs that all have in common.
_SLOW_ANSWER_SECONDS = 5.0
NOT_AGAIN = "`{}` did not finish in time for `{}`, so it was not called again."
Settled = Callable[[SubmissionLog], Collection[str]]


class Executed(NamedTuple):
    """A log so far, and what gives the program's cells with the outputs they had here."""

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
) -> Iterator[Executed]:
    """Run a submission and evaluate its questions; yield the log after each one.

    The first log yielded has no outcomes, the last one has all of them, whatever
    the submission does. Nothing here compares a value with anything.

    Args:
        submission: The submission.
        homework: Its questions.
        sandbox: Where its code runs.
        secret: The course's secret, from which the hidden inputs are drawn.
        settled: Log -> ids of questions that need not be evaluated once more at the notebook's
            end: those that are right already.
        all_cells: Run the cells that only illustrate, too.

    Raises:
        RunBroken: code of ours failed in the submission's process.
        SandboxFault: the sandbox does not work.
    """
    started = time.monotonic()
    program = build(submission, homework, all_cells=all_cells)
    asked = [question for question in homework.questions if question.ask]
    places = {question.id: place for place, question in enumerate(asked)}
    plans = {q.id: inputs.plan(q, submission=submission.id, secret=secret) for q in asked}
    state = Execution(program, homework, Scrubber(), helpers=submission.helpers)
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
    yield Executed(log, state.steps)
    if program.unrelated:
        return

    def wrong() -> list[tuple[Question, Drawn]]:
        done = {*settled(log), *submission.refusals}
        return in_common(log, [question for question in asked if question.id not in done], secret)

    batches = state.outcomes(
        sandbox, asked, plans, submission.refusals, lambda: settled(log), wrong
    )
    for found, common, original in batches:
        said = state.said_here()
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
            repairs=(*program.repairs, *state.repairs),
            errors=tuple(state.errors.values()),
            passed_here=tuple(id for id, text in said.items() if text == PASSED),
            complaints_here={id: text for id, text in said.items() if text != PASSED},
            seconds=time.monotonic() - started,
        )
        yield Executed(log, state.steps)
    yield Executed(replace(log, complete=True, seconds=time.monotonic() - started), state.steps)


def in_common(
    log: SubmissionLog, wrong: Sequence[Question], secret: str
) -> list[tuple[Question, Drawn]]:
    """Return which wrong answers are evaluated once more, with inputs that all have in common.

    Not what is unwritten, ended its process, took long or is a test cell.
    """
    found = []
    for question in wrong:
        own = [outcome for outcome in log.outcomes if outcome.question == question.id]
        if (
            own
            and all(outcome.says_something for outcome in own)
            and sum(outcome.seconds for outcome in own) < _SLOW_ANSWER_SECONDS
            and not question.trains
            and not question.asserted
        ):
            found.append((question, inputs.common(question, secret=secret)))
    return found


class _Batch(NamedTuple):
    """What one step found out."""

    outcomes: tuple[Outcome, ...] = ()
    common: Mapping[str, Common] = {}
    original: Mapping[str, Any] = {}


@dataclass
class Execution:
    """A program under way: its cells, with the questions between them, in one run or in several."""

    program: Program
    homework: Homework
    scrub: "Scrubber"
    helpers: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.repairs: list[Remark] = []
        self.endless: dict[str, str] = {}
        """Objects that did not finish in time, and those that need them: why they are not called."""
        self.left_out: set[int] = set()
        self.reduced: set[int] = set()
        self.ended: set[int | str] = set()
        self.errors: dict[int, CellError] = {}
        self.outputs: dict[int, tuple[Mapping[str, Any], ...]] = {}
        self.took: dict[int, float] = {}
        self.gone: list[Outcome] = []
        """Of questions that ended a run, and are not evaluated once more."""
        seconds = self.homework.limits.submission_seconds
        self.left = {"own": seconds, "added": ADDED_SHARE * seconds}
        """Seconds that are left: for provided cells, answers and questions; for added cells."""

    def steps(self) -> tuple[Step, ...]:
        """Return the program's cells with the outputs they had in the last run."""
        return tuple(
            replace(step, cell=replace(step.cell, outputs=self.outputs.get(number, ())))
            if step.runs
            else step
            for number, step in enumerate(self.program.steps)
        )

    def said_here(self) -> dict[str, str]:
        """Return what each question's check printed last when it ran here, in one short line."""
        found = {}
        for id, stop in self.program.stops.items():
            printed = "\n".join(str(one.get("text", "")) for one in self.outputs.get(stop, ()))
            begin = f"[{id}] "
            lines = [ln.removeprefix(begin) for ln in printed.splitlines() if ln.startswith(begin)]
            if lines:
                said = PASSED if PASSED in lines else lines[-1]
                found[id] = codec.one_line(said)[:MOST_SAID]
        return found

    def outcomes(
        self,
        sandbox: Sandbox,
        questions: Sequence[Question],
        plans: Mapping[str, Plan],
        refusals: Mapping[str, str],
        settled: Callable[[], Collection[str]],
        wrong: Callable[[], Sequence[tuple[Question, Drawn]]],
    ) -> Iterator[_Batch]:
        """Yield each question's outcomes, then what earns nothing: the original log's fields last.

        Every question is evaluated just above its own check cell, which is not called where the
        answer does not finish; what is not settled then, once more in the state at the end. A run
        that a cell or a question ends is repeated for what is left.
        """
        for id, reason in refusals.items():
            yield _Batch((Outcome(id, 0, "refused", error=reason, at="check"),))
        stops = {id: self._above(stop) for id, stop in self.program.stops.items()}
        asked = {q.id: q for q in questions if q.id not in refusals}
        at_check = {id: question for id, question in asked.items() if id in stops}
        at_end = {id: question for id, question in asked.items() if id not in stops}
        checked: dict[str, Question] = {}
        ended = RunEnded()
        for repeat in range(MAX_REPEATS + 1):
            if repeat == MAX_REPEATS:
                self.left_out |= {n for n, step in enumerate(self.program.steps) if step.added}
            wanted = {stops[id] for id in at_check}
            with sandbox.run(self.job(wanted)) as run:
                self.scrub.add(run.directory, "<directory>")
                try:
                    for stop in self.run_cells(run, wanted):
                        for question in [q for q in at_check.values() if stops[q.id] == stop]:
                            if _cannot_count(question, settled):  # it may at the notebook's end
                                at_end[question.id] = at_check.pop(question.id)
                                continue
                            found = self._evaluate(run, question, "check", at_check, plans)
                            yield _Batch(found)
                            if not any(o.status in ("timed_out", "killed") for o in found):
                                checked[question.id] = question
                        run.send({"go": [(n, self._source(n)) for n in sorted(self.reduced)]})
                    done = settled()
                    at_end |= {id: q for id, q in checked.items() if self._once_more(q, done)}
                    checked.clear()
                    for question in [q for q in questions if q.id in at_end]:
                        if _cannot_count(question, settled):
                            del at_end[question.id]
                            yield _Batch((Outcome(question.id, 0, "not_run", error=NOT_TRAINED),))
                            continue
                        yield _Batch(self._evaluate(run, question, "end", at_end, plans))
                    try:
                        for question, drawn in wrong():
                            outcomes = self.ask_others(run, question, drawn.cases, ())
                            given = tuple(digests.digest(outcome) for outcome in outcomes)
                            yield _Batch(common={question.id: Common(drawn.digest, given)})
                        yield _Batch(original=self._original(run))
                    except RunBroken:
                        raise
                    except RunEnded:  # what earns nothing is not tried again
                        pass
                    return
                except RunBroken:
                    raise
                except RunEnded as error:
                    ended = error
            while self.gone:
                yield _Batch((self.gone.pop(),))
            if self.left["own"] <= 0:
                break
        for question in (*at_check.values(), *at_end.values()):
            yield _Batch((lost(question, ended),))

    def _evaluate(
        self,
        run: Run,
        question: Question,
        at: At,
        waiting: dict[str, Question],
        plans: Mapping[str, Plan],
    ) -> tuple[Outcome, ...]:
        """Return a question's outcomes in the state that the run is in; RunEnded where it ends.

        It stays in `waiting` then, unless it has ended a run before.
        """
        name = next((name for name in self._called(question) if name in self.endless), "")
        if name:
            del waiting[question.id]
            return (Outcome(question.id, 0, "timed_out", error=self.endless[name], at=at),)
        try:
            found = self.ask(run, question, plans[question.id])
        except RunEnded as error:
            if error.timed_out:
                self._give_up(question)
            if not self._first_end(question.id, error):
                del waiting[question.id]
                self.gone.append(replace(lost(question, error), at=at))
            raise
        del waiting[question.id]
        if any(outcome.status == "timed_out" for outcome in found):
            self._give_up(question)
        return tuple(replace(outcome, at=at) for outcome in found)

    def _called(self, question: Question) -> Sequence[str]:
        """Return the student's objects that a question is about."""
        assert question.ask is not None
        if not question.asserted:
            return question.ask.objects
        used = used_names(question.ask.asserts)
        return sorted(
            used & {n for c in self.homework.cells if c.role == "answer" for n in defines(c)}
        )

    def _give_up(self, question: Question) -> None:
        """Have an answer that did not finish called no more: by questions, checks and own cells."""
        called = self._called(question)
        sources = [step.cell.source for step in self.program.steps if step.runs]
        if called and (len(called) == 1 or not question.asserted):  # a test tells not which it was
            why = NOT_AGAIN.format(called[-1], question.id)
            for name in rebinding.users(called[-1], sources):
                self.endless.setdefault(name, why)
        checks = {stop: id for id, stop in self.program.stops.items()}
        below = self.program.stops.get(question.id, len(self.program.steps))
        for number, step in enumerate(self.program.steps):
            check, source = checks.get(number), step.cell.source
            own = step.own and step.runs and number > below and number not in self.reduced
            if check and (check == question.id or self.endless.keys() & used_names(source)):
                self.reduced.add(number)
            elif own and (names := sorted(self.endless.keys() & rebinding.called(source))):
                self.reduced.add(number)
                self._repaired(
                    f"Of {step.name}, only the definitions ran: {self.endless[names[0]]}"
                )

    def _above(self, stop: int) -> int:
        """Return the last step above a check that runs and is no check.

        Questions about the same objects whose checks follow each other share a fork there. A test
        that is itself the question may use what the one above it defines.
        """
        steps = self.program.steps
        checks = {n for n in self.program.stops.values() if not self._is_asserted(n)}
        number = stop - 1
        while number > 0 and stop in checks and (number in checks or not steps[number].runs):
            number -= 1
        return max(number, 0)

    def _once_more(self, question: Question, done: Collection[str]) -> bool:
        """Whether a question may have another value at the notebook's end."""
        if question.id in done:
            return False
        if question.trains:  # takes long
            return bool(rebinding.names(self.program, question))
        if question.asserted and rebinding.by_another_part(self.program, question):
            return False
        stop = self.program.stops[question.id]
        return any(step.runs and step.own for step in self.program.steps[stop + 1 :])

    def job(self, stops: Collection[int] = ()) -> dict[str, Any]:
        """Return what the sandbox is to run: the cells that are not left out.

        Args:
            stops: Numbers of the cells after which questions are evaluated.
        """
        limits = self.homework.limits
        cells = [
            [step.name, self._source(number), step.own]
            if step.runs and number not in self.left_out
            else None
            for number, step in enumerate(self.program.steps)
        ]
        return {
            "cells": cells,
            "stops": sorted(stops),
            "helpers": self.helpers,
            "data": self.homework.data,
            "adapters": self.homework.adapters,
            "seed": SEED,
            "value_bytes": limits.value_bytes,
            "output_bytes": limits.output_bytes,
            "memory_bytes": limits.memory_bytes,
            "submission_seconds": limits.submission_seconds,
        }

    def _source(self, number: int) -> str:
        source = self._step(number).cell.source
        return definitions(source) if number in self.reduced else source

    def run_cells(self, run: Run, stops: Collection[int] = ()) -> Iterator[int]:
        """Follow the cells; yield each stop, where questions can be evaluated, and return at the end.

        A cell that ends the process or its time is left out of the next run; of an answer, what
        only defines something still runs then.
        """
        self.errors = {n: e for n, e in self.errors.items() if n in self.left_out | self.reduced}
        together = CELLS_SHARE * self.homework.limits.submission_seconds
        current: int | None = None
        try:
            while True:
                kind = "added" if current is not None and self._step(current).added else "own"
                seconds = min(self.homework.limits.cell_seconds, self.left[kind])
                if kind == "own":
                    seconds = min(seconds, together)
                started = run.clock()
                try:
                    message = run.receive(deadline=started + seconds)
                finally:
                    took = run.clock() - started
                    self.left[kind] -= took
                    together -= took * (kind == "own")
                    if current is not None:
                        self.took[current] = took
                ready = message.get("ready")
                if ready is True:
                    return
                if type(ready) is int and ready in stops:
                    current = None
                    yield ready
                else:
                    current = self._follow(message)
        except RunEnded as ended:
            if current is not None and not self._first_end(current, ended):
                self._leave_out(current, ended)
            raise

    def _first_end(self, where: int | str, ended: RunEnded) -> bool:
        """Whether the process ended here for the first time, and for no reason that we know.

        The machine may have ended it: only what ends it twice is to blame.
        """
        first = where not in self.ended and not ended.timed_out and not ended.why
        self.ended.add(where)
        return first

    def _follow(self, message: Mapping[str, Any]) -> int:
        """Take one message about a cell; return the number of the cell it speaks of."""
        number = message.get("started", message.get("finished"))
        if type(number) is not int or not 0 <= number < len(self.program.steps):
            raise RunEnded
        if "finished" in message:
            outputs = message.get("outputs")
            if isinstance(outputs, list):
                try:
                    kept = [self.scrub.all(item) for item in outputs if isinstance(item, dict)]
                except RecursionError:
                    kept = []
                self.outputs[number] = tuple(kept)
            error = message.get("error")
            if isinstance(error, dict) and not self._is_asserted(number):
                name, text = str(error.get("name"))[:200], str(error.get("message"))[:2000]
                hint = newer_syntax(self._step(number).cell.source) if name == "SyntaxError" else ""
                self._failed(number, name, self.scrub(text) + hint)
                if message.get("went_on") is True:
                    self._repaired(
                        f"A line of {self._step(number).name} failed ({name[:60]}): "
                        "the lines below it ran all the same."
                    )
        return number

    def _is_asserted(self, number: int) -> bool:
        """Whether a cell is the visible part of a test that is a question: the question tells why."""
        asserted = (q.id for q in self.homework.questions if q.asserted)
        return any(self.program.stops.get(id) == number for id in asserted)

    def _leave_out(self, number: int, ended: RunEnded) -> None:
        step = self._step(number)
        late = f"it did not end within {self.homework.limits.cell_seconds:g} seconds"
        what = ended.why or (late if ended.timed_out else "it ended the process")
        if ended.timed_out and step.added and self.left["added"] <= 0:
            self._leave_out_added(number)
        elif step.own and not step.added and number not in self.reduced:
            self.reduced.add(number)
            self._repaired(f"Of {step.name}, only the definitions ran, because {what}.")
        else:
            self.left_out.add(number)
            self._repaired(f"Left out: {step.name}, because {what}.")
        self._failed(number, "Timeout" if ended.timed_out else "ProcessEnded", what)

    def _leave_out_added(self, number: int) -> None:
        """The added cells took too long together: go on without this one, and those like it."""
        steps = self.program.steps
        used = {name for step in steps if step.own and not step.added for name in _used(step)}
        slow = {
            n
            for n, seconds in self.took.items()
            if steps[n].added
            and seconds > _SLOW_SECONDS
            and not defined_names(steps[n].cell.source) & used
        }
        self.left_out |= {number, *slow, *(n for n in range(number, len(steps)) if steps[n].added)}
        seconds = ADDED_SHARE * self.homework.limits.submission_seconds
        self._repaired(
            f"Left out: {steps[number].name}, the cells that you added after it and the slow ones "
            f"before it, because all added cells together took more than {seconds:g} seconds."
        )

    def _repaired(self, sentence: str) -> None:
        remark = Remark("student", sentence)
        if remark not in self.repairs:
            self.repairs.append(remark)

    def _failed(self, number: int, name: str, message: str) -> None:
        self.errors[number] = CellError(self._step(number).name, name, message)

    def _step(self, number: int) -> Step:
        return self.program.steps[number]

    def ask(self, run: Run, question: Question, plan: Plan) -> tuple[Outcome, ...]:
        """Evaluate the cases of one question; RunEnded when the whole process goes with it.

        What a case gives the second time is left out where it is what it gave before.
        """
        first: dict[int, Outcome] = {}
        second: list[Outcome] = []
        for outcome in self._answers(
            run, question, self._requests(question, plan.cases), plan.order
        ):
            if outcome is None:
                continue
            if outcome.number in first:
                if outcome.status != "not_run":
                    second.append(replace(outcome, again=True))
            else:
                first[outcome.number] = outcome
        return tuple(sorted(first.values(), key=lambda o: o.number)) + tuple(second)

    def ask_others(
        self, run: Run, question: Question, cases: Sequence[Inputs], defines: Sequence[str]
    ) -> tuple[Outcome, ...]:
        """Evaluate answers of our own in place of the notebook's, each case once.

        Args:
            run: Where the cells have run.
            question: The question.
            cases: Its inputs.
            defines: Sources of the answers, one after another: all cases of the first, then all
                of the second, and so on. None for the notebook's own.
        """
        own = [{"define": define} for define in defines] or [{}]
        requests = [request | more for more in own for request in self._requests(question, cases)]
        requests = [{**request, "number": n} for n, request in enumerate(requests)]
        found = self._answers(run, question, requests, range(len(requests)))
        return tuple(outcome for outcome in found if outcome)

    def _requests(self, question: Question, cases: Sequence[Inputs]) -> list[dict[str, Any]]:
        assert question.ask is not None
        watch = () if question.trains else question.ask.watched
        reads = question.check.reads if question.check else "numbers"
        return [
            _request(question.id, n, question.ask, case) | {"watch": watch, "reads": reads}
            for n, case in enumerate(cases)
        ]

    def _answers(
        self,
        run: Run,
        question: Question,
        requests: Sequence[Mapping[str, Any]],
        order: Sequence[int],
    ) -> Iterator[Outcome | None]:
        """Have requests answered, some of them twice; yield None where one gives the same again."""
        limit = self.homework.limits.question_seconds
        seconds = limit if question.once else 2 * limit
        # Each case comes twice: what takes longer than the limit once is over it with both.
        run.send({"cases": requests, "order": list(order), "seconds": seconds, "each": limit})
        replies = [*self._replies(run, len(order), seconds), *[{}] * len(order)]
        seen = set[int]()
        for number, reply in zip(order, replies, strict=False):
            if number in seen and reply.get("status") == "same":
                yield None
            else:
                found = self.outcome(question.id, number, reply)
                if question.asserted and found.value:  # it quotes what was raised
                    found = replace(found, value=self.scrub.all(found.value))
                yield found
            seen.add(number)

    def _replies(self, run: Run, number: int, seconds: float) -> Iterator[dict[str, Any]]:
        """Yield the replies to one question."""
        started = run.clock()
        deadline = started + min(seconds + MARGIN_SECONDS, max(self.left["own"], 0.0))
        try:
            for _ in range(number + 1):
                limit = 2 * self.homework.limits.value_bytes
                message = run.receive(deadline=deadline, limit=limit)
                if "answered" in message:
                    return
                yield message
        finally:
            self.left["own"] -= run.clock() - started
        raise RunEnded  # it sends more than it was asked for

    def outcome(self, question: str, number: int, reply: Mapping[str, Any]) -> Outcome:
        """Turn one reply into an outcome; what is not as promised is refused."""
        status: Status | None = next(
            (s for s in get_args(Status) if s == reply.get("status")), None
        )
        error, seconds, value = reply.get("error", ""), reply.get("seconds", 0.0), None
        if (
            reply.get("question") != question
            or reply.get("number") != number
            or status is None
            or not isinstance(error, str)
            or type(seconds) is not float
        ):
            return Outcome(question, number, "refused", error="The reply could not be read.")
        if status == "returned":
            try:
                value = decode_value(reply.get("value"))
            except UserError as problem:
                status, error = "refused", f"The reply could not be read: {problem}."
        return Outcome(question, number, status, value, self.scrub(error[:4000]), seconds)

    def _original(self, run: Run) -> dict[str, Any]:
        """Evaluate the top-level keys of the original homework's log; what fails is left out."""
        values: dict[str, Any] = {}
        wanted = [f for f in self.homework.log_fields if not self.endless.keys() & {*f.ask.objects}]
        if not wanted:
            return values
        seconds = self.homework.limits.question_seconds
        run.send({"last": [_request("last", n, one.ask, {}) for n, one in enumerate(wanted)]})
        replies = self._replies(run, len(wanted), seconds)
        for number, (one, reply) in enumerate(zip(wanted, replies, strict=False)):
            value = self.outcome("last", number, reply).value or {}
            values |= {key: value[key] for key in one.keys if key in value}
        arrays = {key: item.tolist() for key, item in values.items() if hasattr(item, "tolist")}
        return arrays | {key: item for key, item in values.items() if isinstance(item, str)}


def _request(name: str, number: int, ask: Ask, case: Inputs) -> dict[str, Any]:
    return {
        "question": name,
        "number": number,
        "adapter": ask.adapter,
        "objects": ask.objects,
        "without": ask.without,
        "watch": (),
        "reads": "numbers",
        "asserts": ask.asserts,
        "inputs": encode_inputs(case),
    }


def _used(step: Step) -> frozenset[str]:
    return used_names(step.cell.source)


def definitions(source: str) -> str:
    """Return what only defines something in a cell: imports, functions, classes, constants.

    It is "" where the cell is no Python, or an expression in it is too deep to be written out.
    """
    kept = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef)
    tree = parsed(source)
    nodes = tree.body if tree else []
    try:
        return "\n".join(
            ast.unparse(node)
            for node in nodes
            if isinstance(node, kept)
            or (isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant))
        )
    except RecursionError:
        return ""


def _cannot_count(question: Question, settled: Callable[[], Collection[str]]) -> bool:
    """Whether a question takes long and needs one that is not right, as far as is known."""
    return question.trains and not set(question.needs) <= {*settled()}


def lost(question: Question, ended: RunEnded) -> Outcome:
    """Return the outcome of a question with which the whole process ended."""
    status: Status = "timed_out" if ended.timed_out else "killed"
    return Outcome(question.id, 0, status, error=ended.why)


class Scrubber:
    """Takes this machine's paths out of what a submission printed."""

    _cell = re.compile(r"(<directory>/|/tmp/)?ipykernel_\d+/\d+\.py")
    _line = re.compile(r"\(\d+\.py, line (\d+)\)")  # a cell that is not Python

    def __init__(self) -> None:
        self._places: dict[str, str] = {}
        package = Path(__file__).resolve().parents[1]
        for place in (sysconfig.get_path("purelib"), sys.prefix, sys.base_prefix, str(package)):
            self.add(Path(place), "<python>")
        self.add(Path.home(), "<home>")

    def add(self, place: Path, name: str) -> None:
        """Replace a folder, and what it resolves to, by a name."""
        for path in {str(place), str(place.resolve())} - {"/"}:
            self._places[path] = name

    def __call__(self, text: str) -> str:
        """Return the text without paths of this machine, and fit to be written."""
        # The longest first, since a virtual environment often is below the home.
        for place in sorted(self._places, key=len, reverse=True):
            text = text.replace(place, self._places[place])
        text = self._line.sub(r"(line \1 of the cell)", self._cell.sub("<cell>", text))
        return codec.printable(text)

    def all(self, value: Any) -> Any:
        """Return a JSON value with every text in it scrubbed."""
        if isinstance(value, str):
            return self(value)
        if isinstance(value, list):
            return [self.all(item) for item in value]
        if isinstance(value, dict):
            return {key: self.all(item) for key, item in value.items()}
        return value
