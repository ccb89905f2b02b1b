"""The parts that any homework can be proved with, and how many times each is tried."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from threadpoolctl import threadpool_limits

from autograder.authoring.calibrate.bands import bands
from autograder.authoring.calibrate.limits import limits
from autograder.authoring.calibrate.rejections import drawn, smallest_mistakes, styles, tenth
from autograder.authoring.calibrate.table import Table
from autograder.course import homework as homeworks
from autograder.records.errors import UserError
from autograder.records.homework import Homework

DRAWS, STARTS = 1_000, 50
"""Of hidden inputs, and of training."""

PARTS: dict[str, Callable[[Path, Homework, int, int], Table]] = {
    "drawn": lambda course, chosen, draws, _: drawn(course, chosen, number=10 * draws),
    "smallest_mistakes": lambda course, chosen, draws, _: smallest_mistakes(
        course, chosen, draws=tenth(draws)
    ),
    "styles": lambda course, chosen, draws, _: styles(course, chosen, draws=draws),
    "limits": lambda course, chosen, *_: limits(course, chosen),
    "bands": lambda course, chosen, _, starts: bands(course, chosen, starts=starts),
}


def prove(
    course: Path, name: str, parts: Sequence[str] = (), *, draws: int = DRAWS, starts: int = STARTS
) -> Iterator[Table]:
    """Yield the table of each part as soon as it is there; of all parts without any.

    Mistakes and heavy questions get a tenth of the draws that each right answer gets, and random right
    values ten times as many.
    """
    if unknown := [part for part in parts if part not in PARTS]:
        raise UserError(f"{unknown[0]} is no part; there are {', '.join(PARTS)}")
    chosen = homeworks.load(course, name)
    for part in parts or PARTS:
        # As when grading: small products are slower with several threads.
        with threadpool_limits(1):
            table = PARTS[part](course, chosen, draws, starts)
        yield table
