"""Explanation -> lines for a terminal; student text cannot move its cursor."""

import textwrap
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from autograder.marking.mark import number, points
from autograder.records.codec import shown
from autograder.records.facts import Outcome
from autograder.records.tables import Frame, to_pandas
from autograder.staff.explain.explanation import Case, Explanation

MAX_TEXT = 2_000
MAX_STEPS = 8_000
MOST_MISTAKES = 8
MOST_ROWS = 40


def lines(item: Explanation) -> Iterator[str]:
    """Yield the lines on one question: the first wrong case in full, the others in one line each."""
    mark = item.mark
    earned = "not marked" if mark.earned is None else number(mark.earned)
    yield f"{item.question.id}: {earned} of {points(mark.points)}"
    yield from _block("the student reads", mark.message)
    if item.stale:
        yield (
            "  Its hidden inputs have changed, so nothing can be compared: run `autograder grade`."
        )
        return
    state = "at its own check cell" if item.at == "check" else "at the end of the notebook"
    yield f"  evaluated {state}, {len(item.cases)} case{'s' * (len(item.cases) != 1)}"
    for case in item.cases:
        yield f"    case {case.number + 1}: {_in_short(case)}"
    if chosen := item.first_wrong:
        yield from _case(chosen)
        if item.now:
            title = "run again in the sandbox"
            yield from _outcome(item.now, title, f"the student's values, {title}")
        if item.steps:
            yield from _block("the reference's computation", "\n".join(item.steps), most=MAX_STEPS)
    if item.tried:
        yield "  known mistakes tried, closest first"
        for near in item.tried[:MOST_MISTAKES]:
            far = f", numbers at most {near.furthest:.3g} apart" if near.furthest else ""
            exactly = " exactly" if near.furthest == 0 else ""
            yield (
                f"    {near.mistake.name}: matches {near.same} of {len(item.cases)} cases{exactly}{far}"
            )


def _in_short(case: Case) -> str:
    if case.earns is None:
        said = case.message
    elif case.earns >= 1:
        said = "right"
    elif case.outcome.value is None:
        first = case.outcome.error.split("\n")[0]
        said = f"{case.outcome.status.replace('_', ' ')}{f': {first}' if first else ''}"
    else:
        said = "wrong" if case.earns == 0 else f"earns {100 * case.earns:.0f} %"
        said += f": {case.where}" if case.where else ""
    more = " (run again just now: the log has no value)" * case.ran_again
    return shown(f"{said[:300]}{more}").replace("\n", " ")


def _case(case: Case) -> Iterator[str]:
    yield f"  case {case.number + 1}, the first wrong one"
    if case.message != case.outcome.error:
        yield from _block("the check prints", case.message)
    yield from _values("hidden inputs", case.inputs)
    yield from _outcome(case.outcome, "the student's answer", "the student's values")
    if case.second is not None:
        values = "the student's values the second time"
        yield from _outcome(case.second, "the second time", values)
    if case.expected is not None:
        yield from _values("expected", case.expected)
    if case.where:
        yield from _block("first difference", case.where)


def _outcome(one: Outcome, title: str, of_values: str) -> Iterator[str]:
    if one.value is None:
        yield from _block(title, one.error or one.status)
    else:
        yield from _values(of_values, one.value)


def _values(title: str, values: Mapping[str, Any]) -> Iterator[str]:
    yield f"    {title}:"
    if not values:
        yield "      none"
    for name, item in values.items():
        yield from textwrap.indent(shown(f"{name} = {written(item)}"), "      ").split("\n")


def _block(title: str, text: str, *, most: int = MAX_TEXT) -> Iterator[str]:
    yield f"    {title}:"
    cut = text if len(text) <= most else f"{text[:most]} ..."
    for line in shown(cut).split("\n"):
        yield f"      {line}"


def written(item: Any) -> str:
    """Return a value in readable form; large ones are shortened in the middle."""
    if isinstance(item, np.ndarray):
        text = np.array2string(item, precision=9, threshold=120, edgeitems=3, max_line_width=100)
        return f"array of shape {item.shape}\n{text}" if item.ndim else text
    if isinstance(item, Frame):
        item = to_pandas(item)
    if hasattr(item, "to_string"):  # a table or a Series
        return f"{len(item)} rows\n{item.to_string(max_rows=MOST_ROWS)}"
    text = repr(item)
    return text if len(text) <= MAX_TEXT else f"{text[:MAX_TEXT]} ..."
