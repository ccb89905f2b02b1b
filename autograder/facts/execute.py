"""Homework + hand-in -> SubmissionLog, growing question by question."""

import contextlib
import functools
import hashlib
import importlib.metadata
import platform
import re
import sys
import sysconfig
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple, get_args

from autograder import __version__, codec, inputs
from autograder.facts.align import Program, Step, align
from autograder.facts.sandbox import Run, RunEnded, Sandbox
from autograder.model import (
    Ask,
    CellError,
    HandIn,
    Homework,
    Inputs,
    Outcome,
    Question,
    Status,
    SubmissionLog,
    UserError,
)

SEED = 0
# A question's own clock runs inside the sandbox; ours only ends what ignores it.
MARGIN_SECONDS = 5.0
MAX_REPEATS = 5
# Each run of the cells may take this part of a submission's time, so that one repeat and
# the questions always have theirs.
CELLS_SHARE = 0.4
_VERSIONED = ("numpy", "torch", "ipykernel")


class Executed(NamedTuple):
    """A log so far, and what gives the program's cells with the outputs they had here."""

    log: SubmissionLog
    steps: Callable[[], tuple[Step, ...]]


def execute(
    hand_in: HandIn,
    homework: Homework,
    *,
    sandbox: Sandbox,
    secret: str,
    all_cells: bool = False,
) -> Iterator[Executed]:
    """Run a submission and ask its questions; yield the log after each one.

    The first log yielded has no outcomes, the last one has all of them, whatever
    the submission does. Nothing here compares a value with anything.

    Args:
        hand_in: What was handed in.
        homework: What to ask.
        sandbox: Where its code runs.
        secret: The course's secret, from which the hidden inputs are drawn.
        all_cells: Run the cells that only illustrate, too.
    """
    started = time.monotonic()
    program = align(hand_in, homework, all_cells=all_cells)
    asked = [question for question in homework.questions if question.ask]
    cases = {
        q.id: inputs.drawn(q, submission=hand_in.submission, secret=secret).cases for q in asked
    }
    state = Execution(
        program,
        homework,
        Scrubber(),
        deadline=homework.limits.submission_seconds,
        helpers=hand_in.helpers,
    )
    log = SubmissionLog(
        homework=homework.name,
        submission=hand_in.submission,
        versions=versions(homework),
        inputs=inputs.digests(homework, submission=hand_in.submission, secret=secret),
        isolation=sandbox.layers,
        remarks=hand_in.remarks,
        written=program.written,
        candidates=program.candidates,
        receipt=hand_in.receipt,
        time=time.time(),
    )
    yield Executed(log, state.steps)
    for outcomes, original in state.outcomes(sandbox, asked, cases, hand_in.refusals):
        log = replace(
            log,
            outcomes=log.outcomes + outcomes,
            original={**log.original, **original},
            repairs=(*program.repairs, *state.repairs),
            errors=tuple(state.errors.values()),
            seconds=time.monotonic() - started,
        )
        yield Executed(log, state.steps)
    yield Executed(replace(log, complete=True, seconds=time.monotonic() - started), state.steps)


@functools.cache
def _grader() -> str:
    """Return the version, and a digest of the code: what it grades, a changed grader grades again."""
    package = Path(__file__).parents[1]
    code = b"".join(path.read_bytes() for path in sorted(package.rglob("*.py")))
    return f"{__version__}+{hashlib.sha256(code).hexdigest()[:12]}"


@functools.cache
def programs() -> Mapping[str, str]:
    """Return the versions of the grader, Python and the libraries that could change a value."""
    libraries = {name: importlib.metadata.version(name) for name in _VERSIONED}
    return {"autograder": _grader(), "python": platform.python_version(), **libraries}


def versions(homework: Homework) -> dict[str, str]:
    """Return what could change a value or a mark: the programs and the homework."""
    return {**programs(), "homework": homework.digest}


_Batch = tuple[tuple[Outcome, ...], Mapping[str, Any]]


@dataclass
class Execution:
    """A program under way: its cells, then its questions, in one run or in several."""

    program: Program
    homework: Homework
    scrub: "Scrubber"
    deadline: float
    helpers: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.repairs: list[str] = []
        self.spent = 0.0  # by earlier runs, of the time until the deadline
        self.left_out: set[int] = set()
        self.ended: set[int | str] = set()
        self.errors: dict[int, CellError] = {}
        self.outputs: dict[int, tuple[Mapping[str, Any], ...]] = {}

    def steps(self) -> tuple[Step, ...]:
        """Return the program's cells with the outputs they had in the last run."""
        return tuple(
            replace(step, cell=replace(step.cell, outputs=self.outputs.get(number, ())))
            if step.runs
            else step
            for number, step in enumerate(self.program.steps)
        )

    def outcomes(
        self,
        sandbox: Sandbox,
        questions: Sequence[Question],
        cases: Mapping[str, Sequence[Inputs]],
        refusals: Mapping[str, str],
    ) -> Iterator[_Batch]:
        """Yield each question's outcomes, then the original log's fields."""
        waiting = list(questions)
        ended = RunEnded()
        for _ in range(MAX_REPEATS + 1):
            with sandbox.run(self.job()) as run:
                self.scrub.add(run.directory, "<directory>")
                try:
                    self.run_cells(run)
                    while waiting:
                        question = waiting.pop(0)
                        try:
                            if reason := refusals.get(question.id):
                                refused = Outcome(question.id, 0, "refused", error=reason)
                                yield (refused,), {}
                            else:
                                last = not waiting and self._spares_the_log(question)
                                yield self.ask(run, question, cases[question.id], last=last), {}
                        except RunEnded as error:
                            if self._first_end(question.id, error):
                                waiting.insert(0, question)
                            else:
                                yield (lost(question, error),), {}
                                if not waiting and not self.homework.log_fields:
                                    return
                            raise
                    with contextlib.suppress(RunEnded):
                        yield (), self._original(run)
                    return
                except RunEnded as error:
                    ended = error
                    self.spent += run.clock()
            if self.spent >= self.deadline:
                break
        for question in waiting:
            yield (lost(question, ended),), {}

    def job(self) -> dict[str, Any]:
        """Return what the sandbox is to run: the cells that are not left out."""
        limits = self.homework.limits
        cells = [
            [step.name, step.cell.source] if step.runs and number not in self.left_out else None
            for number, step in enumerate(self.program.steps)
        ]
        return {
            "cells": cells,
            "helpers": self.helpers,
            "adapters": self.homework.adapters,
            "seed": SEED,
            "question_seconds": limits.question_seconds,
            "value_bytes": limits.value_bytes,
            "output_bytes": limits.output_bytes,
            "memory_bytes": limits.memory_bytes,
            "submission_seconds": limits.submission_seconds,
        }

    def _within(self, run: Run, seconds: float) -> float:
        return min(run.clock() + seconds, self.deadline - self.spent)

    def run_cells(self, run: Run) -> None:
        """Follow the cells; a cell that ends the process or its time is left out of the next run."""
        self.errors = {n: e for n, e in self.errors.items() if n in self.left_out}
        limits = self.homework.limits
        together = run.clock() + CELLS_SHARE * limits.submission_seconds
        current: int | None = None
        try:
            while True:
                deadline = min(self._within(run, limits.cell_seconds), together)
                message = run.receive(deadline=deadline)
                if message.get("ready") is True:
                    return
                current = self._follow(message)
        except RunEnded as ended:
            if current is not None and ended.timed_out and run.clock() >= together:
                self._leave_out_added(current)
            elif current is not None and not self._first_end(current, ended):
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
            if isinstance(error, dict):
                name, text = str(error.get("name"))[:200], str(error.get("message"))[:2000]
                self._failed(number, name, self.scrub(text))
        return number

    def _leave_out(self, number: int, ended: RunEnded) -> None:
        seconds = self.homework.limits.cell_seconds
        late = f"it did not end within {seconds:g} seconds"
        what = ended.why or (late if ended.timed_out else "it ended the process")
        self.left_out.add(number)
        self.repairs.append(f"Left out: {self._step(number).name}, because {what}.")
        self._failed(number, "Timeout" if ended.timed_out else "ProcessEnded", what)

    def _leave_out_added(self, number: int) -> None:
        """The cells took too long together: go on without this one and the added ones after it."""
        seconds = CELLS_SHARE * self.homework.limits.submission_seconds
        what = f"all cells together took more than {seconds:g} seconds"
        steps = self.program.steps
        self.left_out |= {number, *(n for n in range(number, len(steps)) if steps[n].added)}
        self.repairs.append(
            f"Left out: {self._step(number).name} and the cells that you added after it, because {what}."
        )
        self._failed(number, "Timeout", what)

    def _failed(self, number: int, name: str, message: str) -> None:
        self.errors[number] = CellError(self._step(number).name, name, message)

    def _step(self, number: int) -> Step:
        return self.program.steps[number]

    def ask(
        self,
        run: Run,
        question: Question,
        cases: Sequence[Inputs],
        defines: Sequence[str] = (),
        *,
        last: bool = False,
    ) -> tuple[Outcome, ...]:
        """Ask one question; RunEnded when the whole process goes with it.

        Args:
            run: Where the cells have run.
            question: What to ask.
            cases: Its hidden inputs.
            defines: Sources of answers of our own to ask in place of the notebook's, one
                after another: all cases of the first, then all of the second, and so on.
            last: Nothing else that counts will be asked: no fork is needed.
        """
        requests = _requests(question, cases, defines)
        run.send({"last": requests} if last else requests)
        return self._answers(run, question, len(requests))

    def _answers(self, run: Run, question: Question, number: int) -> tuple[Outcome, ...]:
        replies = [*self._replies(run, number), *[{}] * number]
        return tuple(self._outcome(question.id, n, replies[n]) for n in range(number))

    def _replies(self, run: Run, number: int) -> Iterator[dict[str, Any]]:
        """Yield the replies to one question."""
        limits = self.homework.limits
        deadline = self._within(run, limits.question_seconds + MARGIN_SECONDS)
        for _ in range(number + 1):
            message = run.receive(deadline=deadline, limit=2 * limits.value_bytes)
            if "answered" in message:
                return
            yield message
        raise RunEnded  # it says more than it was asked

    def _outcome(self, question: str, number: int, reply: Mapping[str, Any]) -> Outcome:
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
                value = codec.decode_value(reply.get("value"))
            except UserError as problem:
                status, error = "refused", f"The reply could not be read: {problem}."
        return Outcome(question, number, status, value, self.scrub(error[:4000]), seconds)

    def _spares_the_log(self, question: Question) -> bool:
        """Whether the original log's fields need nothing that a question takes away."""
        needed = {name for one in self.homework.log_fields for name in one.ask.objects}
        return question.ask is not None and needed.isdisjoint(question.ask.without)

    def _original(self, run: Run) -> dict[str, Any]:
        """Ask for the top-level keys of the original homework's log; what fails is left out."""
        values: dict[str, Any] = {}
        wanted = self.homework.log_fields
        if not wanted:
            return values
        run.send({"last": [_request("last", n, one.ask, {}) for n, one in enumerate(wanted)]})
        replies = self._replies(run, len(wanted))
        for number, (one, reply) in enumerate(zip(wanted, replies, strict=False)):
            value = self._outcome("last", number, reply).value or {}
            values |= {key: value[key] for key in one.keys if key in value}
        return {k: v if isinstance(v, str) else v.tolist() for k, v in values.items()}


def _requests(
    question: Question, cases: Sequence[Inputs], defines: Sequence[str] = ()
) -> list[dict[str, Any]]:
    """Return a question's requests: each case, for each answer of our own where there are any."""
    assert question.ask is not None
    own = [{"define": define} for define in defines] or [{}]
    asked = [(case, more) for more in own for case in cases]
    return [
        _request(question.id, n, question.ask, case) | more for n, (case, more) in enumerate(asked)
    ]


def _request(name: str, number: int, ask: Ask, case: Inputs) -> dict[str, Any]:
    return {
        "question": name,
        "number": number,
        "adapter": ask.adapter,
        "objects": ask.objects,
        "without": ask.without,
        "inputs": codec.encode_value(case),
    }


def lost(question: Question, ended: RunEnded) -> Outcome:
    """Return the outcome of a question with which the whole process ended."""
    status: Status = "timed_out" if ended.timed_out else "killed"
    return Outcome(question.id, 0, status, error=ended.why)


class Scrubber:
    """Takes this machine's paths out of what a submission printed."""

    _cell = re.compile(r"(<directory>/|/tmp/)?ipykernel_\d+/\d+\.py")

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
        # The longest first, since a virtual environment often stands below the home.
        for place in sorted(self._places, key=len, reverse=True):
            text = text.replace(place, self._places[place])
        return codec.printable(self._cell.sub("<cell>", text))

    def all(self, value: Any) -> Any:
        """Return a JSON value with every text in it scrubbed."""
        if isinstance(value, str):
            return self(value)
        if isinstance(value, list):
            return [self.all(item) for item in value]
        if isinstance(value, dict):
            return {key: self.all(item) for key, item in value.items()}
        return value
