"""The cells of a graded submission, run again unchanged to evaluate its answers on other inputs."""

import contextlib
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from autograder.program.build import Program, Step
from autograder.records.facts import Outcome
from autograder.records.homework import Cell, Homework
from autograder.records.questions import Inputs, Question
from autograder.sandbox.execution import SEED, Execution
from autograder.sandbox.run import Run, RunEnded
from autograder.sandbox.supervisor import Sandbox

_RUNS = 3
"""A cell that ends two runs is left out of the third."""


class Ran(NamedTuple):
    """A run whose cells have finished; `execution.ask_others(run, ...)` evaluates answers in it."""

    execution: Execution
    run: Run


@contextlib.contextmanager
def ran_again(
    homework: Homework, cells: Sequence[str], sandbox: Sandbox, *, seed: int = SEED
) -> Iterator[Ran]:
    """Run cells unchanged; raise RunEnded if every run fails. A new seed reveals randomness."""
    steps = tuple(
        Step(Cell(f"cell-{n}", "code", source), f"the cell {n}", True)
        for n, source in enumerate(cells, start=1)
    )
    execution = Execution(Program(steps), homework)
    with contextlib.ExitStack() as stack:
        for left in reversed(range(_RUNS)):
            try:
                run = stack.enter_context(execution.finish(sandbox, seed=seed))
                break
            except RunEnded:
                if not left:
                    raise
        yield Ran(execution, run)


def outcome(
    homework: Homework, cells: Sequence[str], sandbox: Sandbox, question: Question, case: Inputs
) -> Outcome | None:
    """Return an answer's result in one case alone, in its own run; None if the run ended."""
    with contextlib.suppress(RunEnded), ran_again(homework, cells, sandbox) as (execution, run):
        return next(iter(execution.ask_others(run, question, [case], ())), None)
    return None
