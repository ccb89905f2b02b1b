"""One submission -> its two most revealing answers, three questions, and a classmate's answer."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from itertools import combinations

from autograder.staff.defence import batch
from autograder.staff.defence.batch import Task
from autograder.staff.defence.interview import classmate
from autograder.staff.defence.interview.classmate import Classmate, Difference
from autograder.staff.defence.maker import Maker
from autograder.staff.defence.records import Item
from autograder.staff.defence.running.calls import Caller
from autograder.staff.defence.sheets.sheet import doubles, tells

ANSWERS, QUESTIONS = 2, 3
_MOST = 24
"""The most questions from which to choose three, in all combinations."""


@dataclass(frozen=True)
class Prepared:
    """Questions for one student; `why_none` tells why there are none.

    Args:
        answers: Name of an answer -> the homework's questions that evaluate it.
    """

    items: tuple[Item, ...] = ()
    answers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    difference: Difference | None = None
    why_none: str = ""


def prepared(
    maker: Maker,
    task: Task,
    student: str,
    *,
    missed: Mapping[str, Mapping[str, int]],
    classmates: Mapping[str, Sequence[Classmate]],
) -> Prepared:
    """Return the questions for one student; the task's round is 0.

    `missed` counts each student's earlier wrong replies by answer; `classmates` has the class's
    answers by name.
    """
    found = batch.whole(maker, task, student)
    items = telling(found.items, missed[student])
    if not items:
        return Prepared(why_none=found.why_none or "nothing in it could be decided")
    # All calls that were run are candidates, since each question rests on only one or two.
    about = {item.answer.name: tuple(q.id for q in item.answer.questions) for item in items}
    others = {name: [o for o in classmates.get(name, ()) if o.student != student] for name in about}
    ran = [item for item in found.items if item.answer.name in about]

    def running(whose: str, seed: int) -> AbstractContextManager[Caller]:
        return maker.running(batch.read(maker, task, whose)[1], seed=seed)

    difference = classmate.difference(student, ran, others, running)
    return Prepared(tuple(item.alone for item in items), about, difference)


def telling(items: Sequence[Item], missed: Mapping[str, int]) -> tuple[Item, ...]:
    """Return up to three questions on the two most revealing answers.

    Answers that an earlier sheet shows as not understood come first, then those with the most kinds
    of questions and the hardest ones.
    """
    by_answer: dict[str, list[Item]] = {}
    for item in items:
        by_answer.setdefault(item.answer.name, []).append(item)

    def worth(name: str) -> tuple[float, ...]:
        own = by_answer[name]
        return (
            missed.get(name, 0),
            len({one.kind for one in own}),
            sum(one.difficulty for one in own) / len(own),
        )

    names = sorted(by_answer, key=worth, reverse=True)[:ANSWERS]
    each = _MOST // max(len(names), 1)
    pool = [item for name in names for item in by_answer[name][:each]]

    def cost(group: Sequence[Item]) -> tuple[float, ...]:
        return (
            -len({one.answer.name for one in group}),
            -len({one.kind for one in group}),
            doubles(group) + tells(group),
            -sum(one.difficulty for one in group),
        )

    return min(combinations(pool, min(QUESTIONS, len(pool))), key=cost)
