"""Runs of a program's cells and questions, one or several: facts, never a verdict."""

import ast
import contextlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, get_args

from autograder.course.cells import defined_names, newer_syntax, parsed, used_names
from autograder.course.inputs import Plan
from autograder.program.build import Program, Step
from autograder.program.visible_checks import uncalled
from autograder.records import codec
from autograder.records.data import decode_value, encode_inputs
from autograder.records.errors import UserError
from autograder.records.facts import CUT, CellError, Outcome, Remark, Status
from autograder.records.homework import Homework, LogField
from autograder.records.questions import Ask, Inputs, Question
from autograder.sandbox.run import Run, RunEnded
from autograder.sandbox.scrubber import Scrubber
from autograder.sandbox.supervisor import Sandbox

SEED = 0
_MOST_SAID = 300
"""The most characters of a message from a notebook's check, which student code may have printed."""
# A question's own clock runs inside the sandbox; ours only ends those that ignore it.
_MARGIN_SECONDS = 5.0
# Provided and answer cells may take this share of a submission's time in each run, which always
# leaves time for a second run and the questions.
_CELLS_SHARE = 0.4
# Added cells get this share on top of a submission's time, in all runs together.
_ADDED_SHARE = 0.4
# An added cell slower than this is left out once that time is used up, unless an answer needs it.
_SLOW_SECONDS = 5.0


@dataclass
class Execution:
    """A program under way: its cells and questions, in one run or in several."""

    program: Program
    homework: Homework
    scrub: Scrubber = field(default_factory=Scrubber)
    helpers: Mapping[str, str] = field(default_factory=dict)
    as_notebook: bool = False
    """Whether visible checks are called in their place, not only on request."""

    def __post_init__(self) -> None:
        self.repairs: list[Remark] = []
        self.left_out: set[int] = set()
        self.reduced: set[int] = set()
        """Cells of which only the definitions run."""
        self.uncalled = {} if self.as_notebook else uncalled(self.program, self.homework.cells)
        """The part of a check's cell that runs if nobody needs the check's message."""
        self.errors: dict[int, CellError] = {}
        self._ended: set[int | str] = set()
        self._outputs: dict[int, tuple[Mapping[str, Any], ...]] = {}
        self._took: dict[int, float] = {}
        seconds = self.homework.limits.submission_seconds
        self.left = {"own": seconds, "added": _ADDED_SHARE * seconds}
        """Remaining seconds: for provided cells, answers and questions; for added cells."""

    def steps(self) -> tuple[Step, ...]:
        """Return the program's cells with their outputs in the last run."""
        return tuple(
            replace(step, cell=replace(step.cell, outputs=self._outputs.get(number, ())))
            if step.runs
            else step
            for number, step in enumerate(self.program.steps)
        )

    def said_here(self) -> tuple[tuple[str, ...], dict[str, str]]:
        """Return the questions whose check last passed, and the other checks' messages, cut short."""
        passed: list[str] = []
        complaints: dict[str, str] = {}
        for id, stop in self.program.stops.items():
            printed = "\n".join(str(one.get("text", "")) for one in self._outputs.get(stop, ()))
            begin = f"[{id}] "
            lines = [ln.removeprefix(begin) for ln in printed.splitlines() if ln.startswith(begin)]
            said = "passed" if "passed" in lines else codec.one_line(lines[-1]) if lines else ""
            if said == "passed":
                passed.append(id)
            elif lines:
                cut = f"{said[: _MOST_SAID - len(CUT)]}{CUT}"
                complaints[id] = said if len(said) <= _MOST_SAID else cut
        return tuple(passed), complaints

    @contextlib.contextmanager
    def start(
        self, sandbox: Sandbox, *, stops: Collection[int] = (), seed: int = SEED
    ) -> Iterator[Run]:
        """Begin a run of the cells that are not left out; questions are evaluated at the stops."""
        with sandbox.run({**self._job(stops), "seed": seed}) as run:
            self.scrub.add(run.directory, "<directory>")
            yield run

    @contextlib.contextmanager
    def finish(self, sandbox: Sandbox, *, seed: int = SEED) -> Iterator[Run]:
        """Run all cells, and yield the run for evaluating questions; otherwise raise RunEnded."""
        with self.start(sandbox, seed=seed) as run:
            for _ in self.run_cells(run):
                pass
            yield run

    def _job(self, stops: Collection[int]) -> dict[str, Any]:
        limits = self.homework.limits
        cells = [
            [step.name, self.source(number), step.own]
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
            "value_bytes": limits.value_bytes,
            "output_bytes": limits.output_bytes,
            "memory_bytes": limits.memory_bytes,
            "submission_seconds": limits.submission_seconds,
        }

    def source(self, number: int) -> str:
        """Return the part of a cell that runs."""
        source = self.uncalled.get(number) or self.program.steps[number].cell.source
        return definitions(source) if number in self.reduced else source

    def run_cells(self, run: Run, stops: Collection[int] = ()) -> Iterator[int]:
        """Follow the cells; yield each stop, where questions can be evaluated, until the end.

        A cell that crashes or times out is left out of the next run; an answer's definitions still
        run then.
        """
        self.errors = {n: e for n, e in self.errors.items() if n in self.left_out | self.reduced}
        together = _CELLS_SHARE * self.homework.limits.submission_seconds
        current: int | None = None
        seconds = 0.0
        try:
            while True:
                added = current is not None and self.program.steps[current].added
                kind = "added" if added else "own"
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
                        self._took[current] = took
                ready = message.get("ready")
                if ready is True:
                    return
                if type(ready) is int and ready in stops:
                    current = None
                    yield ready
                else:
                    current = self._follow(message)
        except RunEnded as ended:
            if current is not None and not self.first_end(current, ended):
                self._leave_out(current, ended, seconds)
            raise

    def first_end(self, where: int | str, ended: RunEnded) -> bool:
        """Return whether the process ended here for the first time, without a known reason.

        The machine may have ended it: only the second time does the cell count as the cause.
        """
        first = where not in self._ended and not ended.timed_out and not ended.why
        self._ended.add(where)
        return first

    def _follow(self, message: Mapping[str, Any]) -> int:
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
                self._outputs[number] = tuple(kept)
            error = message.get("error")
            if isinstance(error, dict) and not self.is_asserted(number):
                name, text = str(error.get("name"))[:200], str(error.get("message"))[:2000]
                hint = (
                    newer_syntax(self.program.steps[number].cell.source)
                    if name == "SyntaxError"
                    else ""
                )
                self._failed(number, name, self.scrub(text) + hint)
                if message.get("went_on") is True:
                    self.note_repair(
                        f"A line of {self.program.steps[number].name} failed "
                        f"({name[:60]}), but the lines below it still ran."
                    )
        return number

    def is_asserted(self, number: int) -> bool:
        """Return whether a cell is the visible part of a question's test, which reports failures."""
        asserted = (q.id for q in self.homework.questions if q.asserted)
        return any(self.program.stops.get(id) == number for id in asserted)

    def _leave_out(self, number: int, ended: RunEnded, seconds: float) -> None:
        """Leave out the cell in which a run ended; `seconds` is the time that it still had."""
        step, limits = self.program.steps[number], self.homework.limits
        late = f"it did not end within {limits.cell_seconds:g} seconds"
        if seconds < limits.cell_seconds:  # what others had left of a shared limit
            over = not step.added and self.left["own"] <= 0
            most = limits.submission_seconds * (1 if over else _CELLS_SHARE)
            late = f"the {'notebook' if over else 'cells together'} took more than {most:g} seconds"
        what = ended.why or (late if ended.timed_out else "it ended the process")
        if ended.timed_out and step.added and self.left["added"] <= 0:
            self._leave_out_added(number)
        elif step.own and not step.added and number not in self.reduced:
            self.reduced.add(number)
            self.note_repair(f"In {step.name}, only the definitions ran, because {what}.")
        else:
            self.left_out.add(number)
            self.note_repair(f"Left out: {step.name}, because {what}.")
        self._failed(number, "Timeout" if ended.timed_out else "ProcessEnded", what)

    def _leave_out_added(self, number: int) -> None:
        """Leave out this added cell, and those like it, because added cells together took too long."""
        steps = self.program.steps
        used = {
            name
            for step in steps
            if step.own and not step.added
            for name in used_names(step.cell.source)
        }
        slow = {
            n
            for n, seconds in self._took.items()
            if steps[n].added
            and seconds > _SLOW_SECONDS
            and not defined_names(steps[n].cell.source) & used
        }
        self.left_out |= {number, *slow, *(n for n in range(number, len(steps)) if steps[n].added)}
        seconds = _ADDED_SHARE * self.homework.limits.submission_seconds
        self.note_repair(
            f"Left out: {steps[number].name}, the cells that you added after it and the "
            "slow ones before it, because all added cells together took more than "
            f"{seconds:g} seconds."
        )

    def note_repair(self, sentence: str) -> None:
        """Record a sentence on a repair, for students and staff."""
        remark = Remark("student", sentence)
        if remark not in self.repairs:
            self.repairs.append(remark)

    def _failed(self, number: int, name: str, message: str) -> None:
        self.errors[number] = CellError(self.program.steps[number].name, name, message)

    def ask(self, run: Run, question: Question, plan: Plan) -> tuple[Outcome, ...]:
        """Evaluate the cases of one question; raise RunEnded if the whole process ends.

        A second result is left out if it equals the first.
        """
        return self._answers(run, question, self._requests(question, plan.cases), plan.order)

    def ask_others(
        self, run: Run, question: Question, cases: Sequence[Inputs], defines: Sequence[str]
    ) -> tuple[Outcome, ...]:
        """Evaluate our own answers, or the notebook's if `defines` is empty, each case once.

        All cases of the first answer come first, then all of the second, and so on.
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
    ) -> tuple[Outcome, ...]:
        limits = self.homework.limits
        each, seconds = limits.question_seconds, limits.for_all_cases(question)
        run.send({"cases": requests, "order": list(order), "seconds": seconds, "each": each})
        replies = [*self._replies(run, len(order), seconds), *[{}] * len(order)]
        first: dict[int, Outcome] = {}
        second: list[Outcome] = []
        for number, reply in zip(order, replies, strict=False):
            if number in first and reply.get("status") == "same":
                continue
            found = self.outcome(question.id, number, reply)
            if question.asserted and found.value:  # the remark quotes the error
                found = replace(found, value=self.scrub.all(found.value))
            if number not in first:
                first[number] = found
            elif found.status != "not_run":
                second.append(replace(found, again=True))
        return (*(first[number] for number in sorted(first)), *second)

    def _replies(self, run: Run, number: int, seconds: float) -> Iterator[dict[str, Any]]:
        started = run.clock()
        deadline = started + min(seconds + _MARGIN_SECONDS, max(self.left["own"], 0.0))
        try:
            for _ in range(number + 1):
                limit = 2 * self.homework.limits.value_bytes
                message = run.receive(deadline=deadline, limit=limit)
                if "answered" in message:
                    return
                yield message
        finally:
            self.left["own"] -= run.clock() - started
        raise RunEnded  # the process sends more than requested

    def outcome(self, question: str, number: int, reply: Mapping[str, Any]) -> Outcome:
        """Turn one reply into an outcome, refusing anything unexpected."""
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

    def original(self, run: Run, fields: Sequence[LogField]) -> dict[str, Any]:
        """Evaluate top-level keys of the original homework's log, leaving out those that fail."""
        values: dict[str, Any] = {}
        if not fields:
            return values
        seconds = self.homework.limits.question_seconds
        run.send({"last": [_request("last", n, one.ask, {}) for n, one in enumerate(fields)]})
        replies = self._replies(run, len(fields), seconds)
        for number, (one, reply) in enumerate(zip(fields, replies, strict=False)):
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
        "hide": ask.hide,
        "watch": (),
        "reads": "numbers",
        "asserts": ask.asserts,
        "inputs": encode_inputs(case),
    }


def definitions(source: str) -> str:
    """Return the definitions in a cell: imports, functions, classes, constants.

    It is "" if the cell is not Python, or has an expression too deep to write out.
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
