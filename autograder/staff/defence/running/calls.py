"""Calls of a student's answers, made and watched in the sandbox."""

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from importlib.resources import files
from typing import Any, ClassVar

from autograder.records.facts import Outcome
from autograder.records.homework import Homework
from autograder.records.questions import Ask, Check, Inputs, Question, Reads
from autograder.sandbox.execution import SEED
from autograder.sandbox.supervisor import Sandbox
from autograder.staff.defence.records import Answer, Call, Noted, Posed, Unreadable
from autograder.staff.explain.rerun import ran_again

SECONDS = 4.0
"""The time limit for a batch of calls, since an edit may loop forever."""
_ADAPTER = "defence_observed"
_INSIDE = files(__package__).joinpath("call_observer.py")


class _Plain(Check):
    """A check that reads everything that the adapter returns as plain data."""

    reads: ClassVar[Reads] = "data"


def observing(homework: Homework) -> Homework:
    """Return a homework with an adapter that watches calls, and with short limits."""
    adapters = f"{homework.adapters}\n\n{_INSIDE.read_text(encoding='utf-8')}"
    limits = replace(homework.limits, question_seconds=SECONDS)
    return replace(homework, adapters=adapters, limits=limits)


Caller = Callable[[Question, Sequence[Inputs], Sequence[str]], Sequence[Sequence[Outcome]]]
"""A function that evaluates sources in place of an answer: for each source, an outcome per case."""


@contextlib.contextmanager
def of_submission(
    homework: Homework, cells: Sequence[str], sandbox: Sandbox, *, seed: int = SEED
) -> Iterator[Caller]:
    """Run a submission's cells, and yield an evaluator of its answers, edited or not."""
    with ran_again(homework, cells, sandbox, seed=seed) as (execution, run):

        def caller(
            question: Question, cases: Sequence[Inputs], sources: Sequence[str]
        ) -> Sequence[Sequence[Outcome]]:
            found = execution.ask_others(run, question, cases, sources)
            size = len(cases)
            return [found[at : at + size] for at in range(0, size * len(sources), size)]

        yield caller


def calls(
    caller: Caller,
    answer: Answer,
    posed: Sequence[Posed],
    sources: Sequence[str],
    *,
    shown: bool = False,
) -> list[list[Call | None]]:
    """Return how each call ended, for each source of an answer; None if unknown.

    A call's arguments are reported only if a sheet may show them (`shown`).
    """
    found: list[list[Call | None]] = [[None] * len(posed) for _ in sources]
    if not sources:
        return found
    defines = [answer.whole(source) for source in sources]
    for question in {one.question.id: one.question for one in posed}.values():
        places = [n for n, one in enumerate(posed) if one.question.id == question.id]
        cases = [_watched(answer, question, posed[n].case, shown=shown) for n in places]
        rows = caller(_asked(question), cases, defines)
        for row, outcomes in zip(found, rows, strict=False):
            for place, outcome in zip(places, outcomes, strict=False):
                row[place] = _call(outcome, answer)
    return found


def graded(caller: Caller, answer: Answer, posed: Posed) -> Call | None:
    """Return the results of the homework's own adapter for an answer, or None."""
    ((outcome,),) = caller(posed.question, [posed.case], [answer.whole(answer.source)])
    return Call(returned=outcome.value) if outcome.value else None


def _asked(question: Question) -> Question:
    assert question.ask is not None
    ask = Ask(_ADAPTER, question.ask.objects, question.ask.hide, may_mutate=question.ask.objects)
    return Question(f"defence of {question.id}", _Plain(), ask=ask)


def _watched(answer: Answer, question: Question, case: Inputs, *, shown: bool) -> dict[str, Any]:
    assert question.ask is not None
    below = answer.first_line - 1
    how = {
        "adapter": question.ask.adapter,
        "function": answer.function,
        "shown": shown,
        "stores": {line + below: list(names) for line, names in answer.stores.items()},
    }
    return {**case, "defence": how}


def _call(outcome: Outcome, answer: Answer) -> Call | None:
    """Read the record of a watched call; student code may have replaced it with anything."""
    try:
        found = outcome.value["call"] if outcome.value else None
        if not isinstance(found, Mapping):
            return None
        below = answer.first_line - 1
        if "given" not in found:
            return Call(raised=str(found["raised"])[:60])
        return Call(
            given=_named(found["given"]),
            own=_named(found["own"]),
            returned=_value(found["returned"]) if "returned" in found else None,
            raised=str(found.get("raised", ""))[:60],
            line=int(found["line"]) - below if found.get("line") else 0,
            noted=tuple(_noted(item, below) for item in found["noted"]),
            visits={int(line) - below: int(times) for line, times in found["visits"].items()},
        )
    except (KeyError, TypeError, ValueError, IndexError, AttributeError):
        return None


def _named(found: Mapping[Any, Any]) -> dict[str, Any]:
    return {str(name)[:60]: _value(item) for name, item in found.items()}


def _value(found: Sequence[Any]) -> Any:
    word, item = found
    return item if word == "value" else Unreadable(str(item)[:60])


def _noted(found: Sequence[Any], below: int) -> Noted:
    line, name, sizes, value = found
    shape = None if sizes is None else tuple(int(size) for size in sizes)
    return Noted(int(line) - below, str(name)[:60], shape, _value(value))
