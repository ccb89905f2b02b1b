"""What a class got wrong: known mistakes, ranked; other wrong answers, by what they have in common."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from autograder.records.codec import one_line
from autograder.records.digests import groups
from autograder.records.facts import said_to
from autograder.records.homework import Homework
from autograder.records.marks import Mark
from autograder.staff.class_page.people import Person

MAX_MESSAGE = 400
SHARED = 2
"""Answers of a group that is shown as one."""


@dataclass(frozen=True)
class Known:
    """A known mistake, and who made it."""

    name: str
    nudge: str
    explanation: str
    questions: tuple[str, ...]
    students: tuple[str, ...]


@dataclass(frozen=True)
class Group:
    """Wrong answers to one question that fit no known mistake and have something in common.

    Args:
        message: The message that most of them got.
        students: The ids of those students.
        same_values: Whether they gave the same for the same inputs; else only the message is alike.
    """

    question: str
    message: str
    students: tuple[str, ...]
    same_values: bool


@dataclass(frozen=True)
class Said:
    """A sentence on a submission, and the students it is about; names and numbers in it may differ."""

    sentence: str
    students: tuple[str, ...]


def known(people: Sequence[Person]) -> list[Known]:
    """Return the known mistakes that were made, the most frequent first."""
    found: dict[str, tuple[Mark, dict[str, None], dict[str, None]]] = {}
    for person in people:
        for mark in person.grade.marks if person.grade else ():
            if mark.misconception:
                _, questions, students = found.setdefault(mark.misconception.name, (mark, {}, {}))
                questions[mark.question] = students[person.student] = None
    listed = [
        Known(name, one.nudge, one.explanation, tuple(questions), tuple(students))
        for name, (mark, questions, students) in found.items()
        if (one := mark.misconception)
    ]
    return sorted(listed, key=lambda one: (-len(one.students), one.name))


def unknown(people: Sequence[Person], homework: Homework) -> list[Group]:
    """Return wrong answers that fit no known mistake, in groups, the largest first.

    Those that gave the same for the inputs that all have in common are one group; of the others,
    those with the same message. What waits for another question to be right is left out.
    """
    found: list[Group] = []
    for question in homework.questions:
        wrong = [
            (person, mark)
            for person in people
            if person.grade and person.log and person.answered(question.id)
            for mark in person.grade.marks
            if mark.question == question.id
            and _is_unknown(mark)
            # What counts only with another question may be right itself.
            and not any(
                one.question in question.needs and one.verdict != "passed"
                for one in person.grade.marks
            )
        ]
        found += _grouped(question.id, wrong)
    return sorted(found, key=lambda group: -len(group.students))


def _is_unknown(mark: Mark) -> bool:
    lost = mark.verdict in ("failed", "partly")
    return lost and not mark.by_hand and not mark.misconception and not mark.fault


def _grouped(question: str, wrong: Sequence[tuple[Person, Mark]]) -> list[Group]:
    found: list[Group] = []
    left = list(wrong)
    with_digests = [
        (one, common) for one in wrong if one[0].log and (common := one[0].log.common.get(question))
    ]
    for inputs in {common.inputs for _, common in with_digests}:
        members = [one for one, common in with_digests if common.inputs == inputs]
        values = [common.values for _, common in with_digests if common.inputs == inputs]
        for places in groups(values):
            if len(places) >= SHARED:
                group = [members[place] for place in places]
                found.append(_group(question, group, same_values=True))
                taken = {person.student for person, _ in group}
                left = [one for one in left if one[0].student not in taken]
    by_message: dict[str, list[tuple[Person, Mark]]] = {}
    for person, mark in left:
        by_message.setdefault(pattern(mark.message), []).append((person, mark))
    found += [_group(question, group, same_values=False) for group in by_message.values()]
    return found


def _group(question: str, members: Sequence[tuple[Person, Mark]], *, same_values: bool) -> Group:
    messages = Counter(pattern(mark.message) for _, mark in members)
    most = messages.most_common(1)[0][0]
    message = next(mark.message for _, mark in members if pattern(mark.message) == most)
    if len(message) > MAX_MESSAGE:
        message = f"{message[:MAX_MESSAGE]} ..."
    return Group(question, message, tuple(person.student for person, _ in members), same_values)


def repairs(people: Sequence[Person]) -> list[Said]:
    """Return what was mended to run notebooks, the most frequent first."""
    return _said(
        (person.student, line)
        for person in people
        if person.log and not person.log.unrelated
        for line in said_to(person.log.repairs, "student")
    )


def failed_cells(people: Sequence[Person]) -> list[Said]:
    """Return with what cells failed, the most frequent first."""
    return _said(
        (person.student, f"{error.name}: {error.message}".rstrip(": "))
        for person in people
        if person.log
        for error in person.log.errors
    )


def ended(people: Sequence[Person]) -> list[Said]:
    """Return which questions ended their process or their time, the most frequent first."""
    words = {"timed_out": "did not finish in time", "killed": "ended its process"}
    return _said(
        (person.student, f"{outcome.question} {words[outcome.status]}")
        for person in people
        if person.log
        for outcome in person.log.outcomes
        if outcome.status in words
    )


def _said(lines: Iterable[tuple[str, str]]) -> list[Said]:
    found: dict[str, tuple[str, dict[str, None]]] = {}
    for student, line in lines:
        _, students = found.setdefault(pattern(line), (line, {}))
        students[student] = None
    listed = [Said(one_line(line)[:MAX_MESSAGE], tuple(who)) for line, who in found.values()]
    return sorted(listed, key=lambda one: -len(one.students))


def pattern(message: str) -> str:
    """Return a message without what differs from one answer to the next: numbers and quoted names."""
    return _NUMBER.sub("#", _QUOTED.sub("'…'", message))[:MAX_MESSAGE]


_QUOTED = re.compile(r"'[^'\n]{1,80}'")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*(?:e[-+]?\d+)?")
