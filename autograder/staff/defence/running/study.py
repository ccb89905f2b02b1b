"""Run an answer and its edits on drawn inputs, as material for every kind of question."""

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

import numpy as np

from autograder.course import inputs
from autograder.marking import check_limits
from autograder.records.facts import SubmissionId
from autograder.records.questions import Inputs, Question, Value
from autograder.staff.defence.records import Answer, Call, Edit, Evidence, Posed, Study, Unreadable
from autograder.staff.defence.running.calls import Caller, calls, graded
from autograder.staff.defence.running.edits import edits
from autograder.staff.defence.values import flat, same_result, size, written

EDITS, SPREAD, SMALL = 32, 6, 2
RESULTS = 5
"""If edits give a short call fewer other results than this, twice as many are tried."""
MAX_GIVEN, MAX_RETURNED = 26, 12
"""The most numbers that a sheet shows of a call's arguments, and of its result."""
COMFORTABLE, LARGE, TINY = 8, 1000, 0.01
MOST_RUN = 250
"""The most lines that run in one call: more mean a training loop, which is slow and nobody can
follow."""
Small = Callable[[np.random.Generator], Sequence[Inputs]]


@dataclass(frozen=True)
class Given:
    """The contents of staff/defence.py.

    Args:
        small: Question id -> inputs that a person can work through.
        dropped: Id of a derivation -> an assumption to drop, in words -> inputs for which it is
            false.
    """

    small: Mapping[str, Small] = field(default_factory=dict)
    dropped: Mapping[str, Mapping[str, Small]] = field(default_factory=dict)


def study(
    answer: Answer,
    caller: Caller,
    *,
    submission: SubmissionId,
    secret: str,
    given: Given,
    rng: np.random.Generator,
) -> Study | str:
    """Return the results of running an answer, or why there can be no question about it."""
    wide = posed(answer, submission, secret, "defence", rng)[:SPREAD]
    near = [
        one for question in answer.questions for one in _small(question, given.small, wide, rng)
    ]
    twins = [_twin(one, rng) for one in wide]
    shorter = list(islice(filter(None, map(shortened, wide)), 1))
    shorter += [_twin(one, rng) for one in shorter]
    every = [*near, *wide, *twins, *shorter]
    (row,) = calls(caller, answer, every, [answer.source], shown=True)
    known = {
        one: Evidence(one, answer.source, call)
        for one, call in zip(every, row, strict=True)
        if call
    }
    ended = {one: evidence for one, evidence in known.items() if not evidence.call.raised}
    done = [ended[one] for one in (*near, *wide) if one in ended]
    if not done:
        return _failing(answer, [known[one] for one in (*near, *wide) if one in known])
    designed, dropped = _design(answer, caller), list(_dropped(answer, wide, caller, given, rng))
    if (shortest := min(_lines_run(one.call) for one in done)) > MOST_RUN:
        if not (designed or dropped):
            return f"each call runs {shortest} lines or more, too many to follow"
        return Study(answer, design=designed, dropped=dropped)
    spread = [ended[one] for one in wide if one in ended]
    firm = [
        (ended[one], ended[twin])
        for one, twin in zip(wide, twins, strict=True)
        if one in ended and twin in ended
    ]
    short = [ended[one] for one in shorter if one in ended]
    readable = sorted(
        (one for one in done if _readable(one.call)),
        key=lambda one: abs(size(dict(one.call.given)) - COMFORTABLE),
    )
    shown = _unlike(readable)[:SMALL]
    possible = edits(answer.source, rng, function=answer.function)
    pair = firm[0] if firm else ()
    if len(short) < 2:
        short = []
    places = [one.posed for one in (*shown, *spread[:1], *pair, *short)]
    first = len(shown) + len(spread[:1])
    last = first + len(pair)
    found: list[Edit] = []
    for _ in range(2):
        some = list(islice(possible, EDITS))
        rows = calls(caller, answer, places, [one.source for one in some])
        found += (
            replace(
                edit,
                on_small=row[: len(shown)],
                on_spread=row[len(shown) : first],
                on_firm=row[first:last],
                on_short=row[last:],
            )
            for edit, row in zip(some, rows, strict=True)
            if not any(_anybody_sees(call) for call in row)
        )
        if not shown or len(_results(found, shown[0])) >= RESULTS:
            break
    return Study(
        answer,
        shown,
        spread,
        firm,
        short,
        _further(found, spread, answer, caller),
        design=designed,
        dropped=dropped,
    )


def posed(
    answer: Answer, submission: SubmissionId, secret: str, use: str, rng: np.random.Generator
) -> list[Posed]:
    """Return ways to call an answer, from all its questions in random order, without hidden inputs.

    A different `use` draws different inputs.
    """
    found = []
    for question in answer.questions:
        cases, others = (
            inputs.draw(
                replace(question, id=f"{question.id} {words} {use}"),
                submission=submission,
                secret=secret,
            )
            for words in ("for", "beside")
        )
        # A case that is the same in every draw is everybody's hidden input.
        fixed = {inputs.digest([case]) for case in others if case}
        found += [
            Posed(question, case)
            for case in cases
            if inputs.digest([case]) not in fixed and (case or not question.trains)
        ]
    return [found[n] for n in rng.permutation(len(found))]


def _twin(one: Posed, rng: np.random.Generator) -> Posed:
    """Return a call with new numbers in the same shapes, to find results that depend on sizes."""
    case = {
        name: rng.choice([-1, 1], item.shape) * rng.permuted(item)
        if isinstance(item, np.ndarray) and item.ndim and item.dtype.kind == "f"
        else item
        for name, item in one.case.items()
    }
    return Posed(one.question, case)


def shortened(one: Posed) -> Posed | None:
    """Return a call whose sequences have one position; None if their axis is unclear.

    The axis is the last but one of the first array; every other axis of the same size also counts
    as the sequence.
    """
    arrays = [v for v in one.case.values() if isinstance(v, np.ndarray) and v.ndim > 1]
    if not arrays:
        return None
    length = arrays[0].shape[-2]
    if length < 2 or length in (*arrays[0].shape[:-2], arrays[0].shape[-1]):
        return None
    case = {
        name: item[tuple(slice(1) if size == length else slice(None) for size in item.shape)]
        if isinstance(item, np.ndarray)
        else item
        for name, item in one.case.items()
    }
    return Posed(one.question, case)


def _small(
    question: Question, small: Mapping[str, Small], wide: Sequence[Posed], rng: np.random.Generator
) -> list[Posed]:
    """Return calls with few, short numbers: from staff/defence.py, or the smallest, rounded."""
    if question.id in small:
        return [Posed(question, case) for case in small[question.id](rng)]
    own = sorted(
        (one for one in wide if one.question is question and one.case),
        key=lambda one: size(dict(one.case)),
    )
    return [Posed(question, {name: _rounded(v) for name, v in one.case.items()}) for one in own[:4]]


def _rounded(item: Any) -> Any:
    if isinstance(item, np.ndarray) and item.dtype.kind == "f":
        return np.round(item, 1)
    return round(item, 1) if isinstance(item, float) else item


def _results(found: Sequence[Edit], one: Evidence) -> set[str]:
    return {
        written(call.returned)
        for edit in found
        if (call := edit.on_small[0]) and not call.raised and same_result(call, one.call) is False
    }


def _anybody_sees(call: Call | None) -> bool:
    """Return whether an edit ends in an obvious error."""
    return call is not None and call.raised in _PLAIN_ERRORS


_PLAIN_ERRORS = ("NameError", "UnboundLocalError", "RecursionError", "SyntaxError")


def _readable(call: Call) -> bool:
    """Return whether a person can follow a call: its arguments, its lines and its result."""
    return (
        is_workable(call)
        and _lines_run(call) <= MOST_RUN
        and not isinstance(call.returned, Unreadable)
        and size(call.returned) <= MAX_RETURNED
    )


def is_workable(call: Call) -> bool:
    """Return whether a call's arguments are few, short numbers, so that a sheet can show them."""
    values = [*call.given.values(), *call.own.values()]
    return (
        not any(isinstance(item, Unreadable) for item in values)
        and sum(map(size, values)) <= MAX_GIVEN
        and all(map(_is_short, flat(values)))
    )


def _is_short(number: float) -> bool:
    """Return whether a number has at most two digits, or three if it is whole."""
    if not math.isfinite(number):
        return False
    if number == round(number):
        return abs(number) < LARGE
    return abs(number) >= TINY and math.isclose(number, float(f"{number:.2g}"), rel_tol=1e-6)


def _lines_run(call: Call) -> int:
    return sum(call.visits.values())


def _unlike(found: Sequence[Evidence]) -> list[Evidence]:
    kept: list[Evidence] = []
    for one in found:
        if not any(same_result(one.call, other.call) is not False for other in kept):
            kept.append(one)
    return kept


def _further(
    found: Sequence[Edit], spread: Sequence[Evidence], answer: Answer, caller: Caller
) -> list[Edit]:
    """Run the edits that changed nothing so far on all other inputs."""
    quiet = [
        edit
        for edit in found
        if spread and edit.on_spread and same_result(edit.on_spread[0], spread[0].call)
    ]
    sources = [edit.source for edit in quiet]
    rows = calls(caller, answer, [one.posed for one in spread[1:]], sources)
    more = dict(zip(sources, rows, strict=True))
    return [
        replace(edit, on_spread=(*edit.on_spread, *more.get(edit.source, ()))) for edit in found
    ]


def _failing(answer: Answer, raised: Sequence[Evidence]) -> Study | str:
    if not raised:
        return "it could not be called"
    # A `raise` already shows where the call ends, and with which error.
    lines = dict(enumerate(answer.source.split("\n"), start=1))
    known = [one for one in raised if one.call.line in lines]
    failing = [one for one in known if not _RAISE.match(lines[one.call.line])]
    if known and not failing:
        return "each call ends at a `raise` of its own"
    return Study(answer, failing=failing)


_RAISE = re.compile(r"\s*raise\b")


def _design(answer: Answer, caller: Caller) -> Evidence | None:
    """Return the result of an answer without arguments, if it earns everything."""
    for question in answer.questions:
        assert question.check is not None
        cases = question.cases(np.random.default_rng(0))
        if len(cases) != 1 or cases[0] or question.trains or question.check.derives:
            continue
        posed = Posed(question, cases[0])
        call = graded(caller, answer, posed)
        if call and earns(question, call.returned):
            return Evidence(posed, answer.source, call, graded=True)
    return None


def _dropped(
    answer: Answer, wide: Sequence[Posed], caller: Caller, given: Given, rng: np.random.Generator
) -> Iterator[tuple[str, Evidence, Evidence]]:
    for question in answer.questions:
        assumptions = given.dropped.get(question.id, {})
        own = next((one for one in wide if one.question is question), None)
        held = graded(caller, answer, own) if own and assumptions else None
        for words, draw in assumptions.items():
            less = Posed(question, draw(rng)[0])
            call = graded(caller, answer, less)
            if own and held and call:
                yield (
                    words,
                    Evidence(own, answer.source, held, graded=True),
                    Evidence(less, answer.source, call, graded=True),
                )


def earns(question: Question, value: Value) -> bool:
    """Return whether a value earns everything by the question's own check."""
    assert question.check is not None
    try:
        return check_limits.call(question.check, {}, value).fraction >= 1
    except check_limits.CheckFailed:
        return False


def is_constant(study: Study) -> bool:
    """Return whether an answer gave the same result for all inputs, although it takes some."""
    found = [one.call for one in (*study.small, *study.spread)]
    return len(found) > 1 and all(same_result(found[0], call) for call in found[1:])


def trace(call: Call) -> float:
    """Return how hard a call is to follow: the logarithm of the number of lines that ran."""
    return math.log2(1 + _lines_run(call))
