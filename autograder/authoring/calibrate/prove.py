"""The parts of `check --large`, and the number of tries for each."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from threadpoolctl import threadpool_limits

from autograder.authoring.calibrate.bands import bands
from autograder.authoring.calibrate.limits import limits
from autograder.authoring.calibrate.rejections import drawn, smallest_mistakes, styles
from autograder.authoring.calibrate.table import Table
from autograder.course import homework as homeworks
from autograder.records.errors import UserError
from autograder.records.homework import Homework

DRAWS, STARTS = 200, 50
"""The number of draws of hidden inputs, and of training runs."""

PARTS: dict[str, Callable[[Path, Homework, int, int], Table]] = {
    "drawn": lambda course, chosen, draws, _: drawn(course, chosen, number=50 * draws),
    "smallest_mistakes": lambda course, chosen, draws, _: smallest_mistakes(
        course, chosen, draws=max(1, draws // 2)
    ),
    "styles": lambda course, chosen, draws, _: styles(course, chosen, draws=draws),
    "limits": lambda course, chosen, *_: limits(course, chosen),
    "bands": lambda course, chosen, _, starts: bands(course, chosen, starts=starts),
}


def prove(
    course: Path, name: str, parts: Sequence[str] = (), *, draws: int = DRAWS, starts: int = STARTS
) -> Iterator[Table]:
    """Yield the table of each named part, or of all parts, as soon as it is ready.

    Mistakes get half of the draws that right answers get, heavy questions and those with large
    inputs a tenth; random right values get fifty times as many.
    """
    if unknown := [part for part in parts if part not in PARTS]:
        raise UserError(f"there is no part {unknown[0]!r}; choose from {', '.join(PARTS)}")
    chosen = homeworks.load(course, name)
    for part in parts or PARTS:
        # As in grading: small products are slower with several threads.
        with threadpool_limits(1):
            table = PARTS[part](course, chosen, draws, starts)
        yield table
