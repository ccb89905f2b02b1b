"""A classmate's answer, and how it differs from the student's own on one input."""

import contextlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from itertools import islice
from pathlib import Path

from autograder.records.errors import UserError
from autograder.records.homework import Homework
from autograder.sandbox.execution import SEED
from autograder.sandbox.run import RunEnded
from autograder.staff.defence import batch
from autograder.staff.defence.kinds.common import given, result, sizes_of
from autograder.staff.defence.records import Answer, Call, Item, Posed
from autograder.staff.defence.running import answers
from autograder.staff.defence.running.calls import Caller, calls
from autograder.staff.defence.running.edits import code
from autograder.staff.defence.running.study import is_workable, shortened
from autograder.staff.defence.values import same_result
from autograder.store import executed, results

TRIED, CALLS, MAX_LINES = 3, 6, 14
"""The most right and wrong answers to run, calls of each, and lines of an answer that fits the
page."""
_MOST_NOTED, _MOST_SIZES = 3, 300


@dataclass(frozen=True)
class Classmate:
    """An answer of the class; `earns` tells whether it is right."""

    student: str
    answer: Answer
    earns: bool


@dataclass(frozen=True)
class Difference:
    """The different behaviour of a classmate's answer, without any hint of whose it is.

    Args:
        given: The arguments of both calls by name, or nothing.
        sizes: The arguments in words, if there are too many values to show.
        differs: Whether the results differ, or only how they were reached.
        own: The behaviour of the student's answer, in words.
        other: The behaviour of the classmate's.
    """

    name: str
    source: str
    earns: bool
    given: tuple[tuple[str, str], ...]
    sizes: str
    differs: bool
    own: str
    other: str


Running = Callable[[str, int], contextlib.AbstractContextManager[Caller]]
"""A function that runs a student's cells in a fresh process, with a seed."""
Asked = tuple[Answer, Sequence[Posed]]


def of_class(
    homework: Homework, folder: Path, students: Iterable[str]
) -> dict[str, list[Classmate]]:
    """Return a class's answers by name, without running anything."""
    found: dict[str, list[Classmate]] = {}
    for student in students:
        try:
            cells = batch.sources(homework, executed.read_cells(folder / student))
            marks = {one.question: one for one in results.read_grade(folder / student).marks}
        except UserError:
            continue
        for answer in answers.read(cells, homework).answers:
            own = [marks[q.id] for q in answer.questions if q.id in marks]
            earns = bool(own) and all(one.verdict == "passed" for one in own)
            one = Classmate(student, replace(answer, questions=()), earns)
            found.setdefault(answer.name, []).append(one)
    return found


def difference(
    student: str,
    items: Sequence[Item],
    classmates: Mapping[str, Sequence[Classmate]],
    running: Running,
) -> Difference | None:
    """Return the largest difference that two fresh processes confirm, or None.

    The calls behind the questions are repeated. Each answer runs in its own submission's process,
    so no student's code can see a classmate's. `classmates` maps an answer's name to other
    students' answers of that name.
    """
    own = {item.answer.name: item.answer for item in items}
    asked = [(one, posed) for name, one in own.items() if (posed := _posed(items, name))]
    found: list[tuple[tuple[float, ...], Difference]] = []
    for (one, posed), mine in zip(asked, _sure(student, asked, running), strict=False):
        for other in _unlike(one, classmates.get(one.name, ())):
            theirs = replace(other.answer, questions=one.questions)
            for row in _sure(other.student, [(theirs, posed)], running):
                pairs = zip(mine, row, strict=True)
                found += [said for a, b in pairs if a and b and (said := _said(one, other, a, b))]
    return max(found, key=lambda pair: pair[0])[1] if found else None


def _sure(student: str, asked: Sequence[Asked], running: Running) -> list[list[Call | None]]:
    """Return the calls of each answer that end alike in two processes; none if a process fails."""
    runs = []
    try:
        for seed in (SEED, SEED + 1):
            with running(student, seed) as caller:
                rows = (calls(caller, one, posed, [one.source], shown=True) for one, posed in asked)
                runs.append([row for (row,) in rows])
    except (RunEnded, UserError):
        return []
    return [
        [one if one and same_result(one, again) else None for one, again in zip(*pair, strict=True)]
        for pair in zip(*runs, strict=True)
    ]


def _unlike(own: Answer, classmates: Sequence[Classmate]) -> Iterator[Classmate]:
    """Yield the right, then the wrong answers that share the least code with the student's."""
    different = {one.answer.source: one for one in classmates if one.answer.source != own.source}
    order = sorted(different.values(), key=lambda one: _alike(own, one.answer))
    for earns in (True, False):
        yield from [one for one in order if one.earns is earns][:TRIED]


def _alike(one: Answer, other: Answer) -> float:
    mine, theirs = (re.findall(r"\w+|[^\w\s]", answer.source) for answer in (one, other))
    return SequenceMatcher(None, mine, theirs, autojunk=False).quick_ratio()


def _posed(items: Sequence[Item], name: str) -> list[Posed]:
    """Return the calls behind the questions, and one of them shortened to a single position."""
    evidence = [one for item in items if item.answer.name == name for one in item.evidence]
    unique = {id(one.posed): one for one in evidence}.values()
    found = [one.posed for one in sorted(unique, key=lambda one: not is_workable(one.call))]
    short = filter(None, map(shortened, found))
    return [*found[: CALLS - 1], *islice(short, 1)]


def _said(
    own: Answer, other: Classmate, one: Call, two: Call
) -> tuple[tuple[float, ...], Difference] | None:
    """Return a difference with its weight.

    Differing results weigh most, then readable values, then differing code.
    """
    differs = same_result(one, two) is False
    mine, theirs = result(one, two), result(two, one)
    if differs and mine == theirs:
        return None
    if not differs:
        mine, theirs = (f"{said}; {_way(call)}" for said, call in ((mine, one), (theirs, two)))
    readable = is_workable(one)
    weight = (differs, readable and bool(one.given), not two.raised, 1 - _alike(own, other.answer))
    values = given(one) if readable else ()
    sizes = "" if values else sizes_of(one)[:_MOST_SIZES]
    source = _cut(other.answer.source)
    said = Difference(own.name, source, other.earns, values, sizes, differs, mine, theirs)
    return weight, said


def _way(call: Call) -> str:
    """Describe how a call reached its result."""
    count = sum(call.visits.values())
    sizes = {f"{code(one.name)} of shape {one.shape}" for one in call.noted if one.shape}
    on_the_way = f", with {', '.join(sorted(sizes)[:_MOST_NOTED])}" if sizes else ""
    return f"{count} {'line runs' if count == 1 else 'lines run'}{on_the_way}"


def _cut(source: str) -> str:
    lines = source.split("\n")
    more = len(lines) - MAX_LINES
    return source if more <= 0 else "\n".join([*lines[:MAX_LINES], f"… {more} more"])
