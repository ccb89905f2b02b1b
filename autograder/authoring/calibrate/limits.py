"""The judge on the largest possible values: its memory, its time, and that it raises nothing."""

import math
import time
import tracemalloc
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, islice
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np

from autograder.authoring.calibrate.rejections import remembering
from autograder.authoring.calibrate.table import Table
from autograder.authoring.contract.sampling import ALL, Share, draw
from autograder.course import known_answers
from autograder.kit.checks import Close
from autograder.kit.weight_checks import Trained
from autograder.marking import check_limits
from autograder.marking.check_limits import CheckFailed, call, within
from autograder.records.data import MAX_ELEMENTS
from autograder.records.errors import UserError
from autograder.records.homework import Homework
from autograder.records.questions import Array, Check, Inputs, Question, Value
from autograder.sandbox.mistake_bank import InstructorRun

IN_ALL = 4 * MAX_ELEMENTS
"""The most numbers in a value: a reply cannot carry more, even in their shortest form."""
TEXT = "x" * 1_000_000
EDGES = np.iinfo(np.int64)
EVALUATIONS = 2
"""The number of times that each case is evaluated."""
FEW = 8
SUBSETS = 4
AXES = 8
"""The most axes of one size that are grown in all combinations."""


def limits(course: Path, homework: Homework, *, share: Share = ALL, trains: bool = True) -> Table:
    """Give each check values of every family, and measure their costs."""
    table = Table(f"{homework.name}: the largest possible values, at most")
    table.lines.append(f"{'question':<28} values  cases  MB for one case  s for all of them, twice")
    with InstructorRun(homework, known_answers.instructor(course, homework)) as variants:
        for question in homework.questions:
            if question.ask is None or question.check is None:
                continue
            cases = draw(question, 0, secret="limits")
            right = _right(question, cases, variants, trains=trains)
            cost = _cost(question, cases, right, share)
            table.tried += cost.tried
            table.lines.append(
                f"{question.id:<28} {cost.tried:>6,} {len(cases):>6} {cost.bytes / 1e6:>16.1f} "
                f"{cost.seconds:>25.2f}   {cost.slowest}"
            )
            table.short += [f"{question.id}: {sentence}" for sentence in cost.failed]
            if cost.bytes > check_limits.BYTES:
                table.short.append(f"{question.id} takes {cost.bytes / 1e6:.0f} MB: {cost.largest}")
            if cost.seconds > check_limits.SECONDS:
                table.short.append(f"{question.id} takes {cost.seconds:.1f} s: {cost.slowest}")
    return table


@dataclass
class _Cost:
    tried: int = 0
    bytes: int = 0
    seconds: float = 0.0
    largest: str = ""
    slowest: str = ""
    failed: list[str] = field(default_factory=list)


def _cost(question: Question, cases: Sequence[Inputs], right: Value, share: Share) -> _Cost:
    cost, case = _Cost(), cases[0]
    assert question.check is not None
    check, reference = _remembering(question.check, case)
    for what, value in islice(families(right), share.turn % share.every, None, share.every):
        cost.tried += 1
        begun = time.process_time()
        reason = _error(_judge, check, case, value, right)
        judged = time.process_time()
        reason = reason or _error(_sum_up, check, case, value, len(cases))
        # Each case is judged twice, and one overview covers all of them.
        seconds = len(cases) * (EVALUATIONS * (judged - begun + reference) + reference)
        seconds += time.process_time() - judged
        tracemalloc.start()
        _error(_judge, check, case, value, right)
        _error(_sum_up, check, case, value, len(cases))
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        cost.failed += [f"{what}: {reason}"] * bool(reason)
        cost.bytes, cost.largest = max((cost.bytes, cost.largest), (peak, what), key=itemgetter(0))
        cost.seconds, cost.slowest = max(
            (cost.seconds, cost.slowest), (seconds, what), key=itemgetter(0)
        )
    return cost


def _remembering(check: Any, case: Inputs) -> tuple[Check, float]:
    """Return a check that computes its references once, and the seconds that they take each time.

    They take as long for any value, so they need not be computed again for each.
    """
    if isinstance(check, Close):
        begun = time.process_time()
        check.expected(case)
        return remembering(check), time.process_time() - begun
    own = vars(check) if case else {}
    parts = {name: _remembering(p, case) for name, p in own.items() if isinstance(p, Close)}
    seconds = sum(seconds for _, seconds in parts.values())
    if parts:
        check = replace(check, **{name: part for name, (part, _) in parts.items()})
    return check, seconds


def _error(step: Callable[..., None], *given: object) -> str:
    """Return why a step of the judge fails on a value, or ""."""
    try:
        step(*given)
    except CheckFailed as error:
        return error.reason
    return ""


def _judge(check: Check, case: Inputs, value: Value, right: Value) -> None:
    """Judge and diagnose a value."""
    call(check, case, value)
    within(check.likeness, case, value, right)
    # A known mistake's values may be odd, but are no larger than the right ones.
    if _sizes(value) == _sizes(right):
        within(check.likeness, case, value, value)


def _sizes(value: Value) -> Mapping[str, tuple[int, ...]]:
    return {name: getattr(item, "shape", ()) for name, item in value.items()}


def _sum_up(check: Check, case: Inputs, value: Value, number: int) -> None:
    """Try the check's overview of a number of such cases."""
    right = call(check, case, value).fraction == 1
    within(check.overview, [(case, value, right)] * number)


def _right(
    question: Question, cases: Sequence[Inputs], variants: InstructorRun, *, trains: bool
) -> Value:
    check = question.check
    if isinstance(check, Trained) and not trains:
        rng = np.random.default_rng(0)
        return {
            name: np.asarray(
                0.1 * rng.normal(size=[29 if isinstance(n, str) else n for n in shape])
            )
            for name, shape in check.shapes.items()
        }
    ((outcome, *_),) = variants.outcomes(question, cases[:1])
    if outcome.value is None:
        raise UserError(
            f"{question.id}: the instructor's own answer gives no value ({outcome.error})"
        )
    return outcome.value


def families(right: Value) -> Iterator[tuple[str, Value]]:
    """Yield values that an answer may return instead of a right one, each with a name."""
    arrays = {name: item for name, item in right.items() if isinstance(item, np.ndarray)}
    yield "nothing", {}
    yield (
        "text instead of everything",
        dict.fromkeys(right, TEXT[: len(TEXT) // max(len(right), 1)]),
    )
    yield "unexpected names", {**right, **_more(arrays)}
    for what, numbers in _numbers():
        yield what, {**right, **{name: np.asarray(numbers(a.shape)) for name, a in arrays.items()}}
    fitting = min(MAX_ELEMENTS, IN_ALL // max(len(arrays), 1))
    for what, shape in _shapes(fitting):
        yield f"all {what}", {**right, **dict.fromkeys(arrays, np.ones(shape))}
    for name in _some(right):
        yield f"no {name}", {other: item for other, item in right.items() if other != name}
        yield f"text as {name}", {**right, name: TEXT}
    for name in _some(arrays):
        array = arrays[name]
        for what, shape in _shapes(MAX_ELEMENTS):
            yield f"{name} {what}", {**right, name: np.ones(shape)}
        for what, numbers in _numbers():
            yield f"{name} {what}", {**right, name: np.asarray(numbers(array.shape))}
    yield from _grown(right, arrays)


def _some(names: Mapping[str, Any]) -> list[str]:
    return [*names][:: max(1, len(names) // FEW)]


def _more(arrays: Mapping[str, Array]) -> dict[str, Any]:
    strange: list[Any] = ["text", np.ones(()), np.ones((0, 3)), np.ones(MAX_ELEMENTS)]
    names = [*arrays]
    found = {
        f"{change}{name}{after}": strange[n % len(strange)]
        for n, name in enumerate(names[:20])
        for change, after in (("", "."), ("x", ""), ("", "x"), ("encoder.layers.7.", ""))
    }
    for name in names[:20]:
        for digit in "0123456789":
            if digit in name:
                found[name.replace(digit, "7")] = strange[0]
                found[name.replace(digit, "8")] = strange[1]
    return {name: item for name, item in found.items() if name not in arrays} | {"x": "text"}


def _shapes(most: int) -> Iterator[tuple[str, tuple[int, ...]]]:
    root = math.isqrt(most)
    yield "flat", (most,)
    yield "one number", ()
    yield "square", (root, root)
    for few in (1, 2, 3, 4, 8, 64):
        yield f"{few} rows", (few, most // few)
        yield f"{few} columns", (most // few, few)
    yield "a cube", (most // 2500, 50, 50)
    yield "of eight axes", (1, 2, 1, most // 4, 1, 2, 1, 1)
    for axes in range(1, 4):
        yield f"empty, {axes} axes", (0,) * axes
    yield "empty and tall", (most, 0)
    yield "empty and wide", (0, most)


def _numbers() -> Iterator[tuple[str, Any]]:
    rng = np.random.default_rng(1)
    yield "of 0", np.zeros
    yield "of 1e308", lambda shape: np.full(shape, 1e308)
    yield "of 1e308 and -1e308", lambda shape: rng.choice([1e308, -1e308], size=shape)
    yield (
        "of many sizes",
        lambda shape: rng.normal(size=shape) * 10.0 ** rng.uniform(-300, 300, size=shape),
    )
    yield "of 1e-160", lambda shape: 1e-160 * rng.normal(size=shape)
    yield "of denormals", lambda shape: np.full(shape, 5e-324)
    yield "of large denormals", lambda shape: 1e-310 * rng.uniform(size=shape)
    yield "of the largest integers", lambda shape: np.full(shape, EDGES.max)
    yield "of the smallest integers", lambda shape: np.full(shape, EDGES.min)
    yield "of both extremes", lambda shape: rng.choice([EDGES.min, EDGES.max, 0, 1, -1], size=shape)
    yield "of random numbers", lambda shape: np.asarray(30 * rng.normal(size=shape))


def _grown(right: Value, arrays: Mapping[str, Array]) -> Iterator[tuple[str, Value]]:
    rng = np.random.default_rng(2)
    places = [(name, axis) for name, array in arrays.items() for axis in range(array.ndim)]
    for size in sorted({arrays[name].shape[axis] for name, axis in places}):
        alike = [(name, axis) for name, axis in places if arrays[name].shape[axis] == size]
        few = range(1, min(SUBSETS, len(alike) - 1) + 1) if len(alike) <= AXES else ()
        for some in (tuple(alike), *(some for n in few for some in combinations(alike, n))):
            for longer in (256, 1024, MAX_ELEMENTS):
                shapes = _longer(arrays, some, longer)
                while max(map(math.prod, shapes.values())) > MAX_ELEMENTS:
                    longer = longer * 9 // 10
                    shapes = _longer(arrays, some, longer)
                named = ", ".join(f"axis {axis} of {name}" for name, axis in some[:4])
                drawn = {name: np.asarray(rng.normal(size=shape)) for name, shape in shapes.items()}
                yield f"{longer} as {named}", {**right, **drawn}


def _longer(
    arrays: Mapping[str, Array], some: Sequence[tuple[str, int]], longer: int
) -> dict[str, tuple[int, ...]]:
    return {
        name: tuple(longer if (name, axis) in some else n for axis, n in enumerate(array.shape))
        for name, array in arrays.items()
    }
