"""A class's mistakes: known ones by frequency, and other wrong answers grouped by what they share."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from autograder.marking.diagnose import is_unknown
from autograder.records.codec import one_line
from autograder.records.digests import group_name, groups
from autograder.records.facts import Common, said_to
from autograder.records.homework import Homework
from autograder.records.marks import Mark, Misconception
from autograder.staff.class_page.people import ENDED, Person

MAX_MESSAGE = 400
SHARED = 2
"""The number of answers that a displayed group needs."""


@dataclass(frozen=True)
class Known:
    """A known mistake, or a named group, and the students who made it."""

    mistake: Misconception
    questions: tuple[str, ...]
    students: tuple[str, ...]


@dataclass(frozen=True)
class Group:
    """Wrong answers to one question that match no known mistake but share something.

    Args:
        message: The message that most of them got.
        students: The ids of those students.
        name: For answers with equal results on the same inputs, the group's name until somebody gives it one; "" if only their messages are alike.

    """

    question: str
    message: str
    students: tuple[str, ...]
    name: str = ""

    @property
    def same_values(self) -> bool:
        """Return whether they gave the same results for the same inputs."""
        return bool(self.name)


@dataclass(frozen=True)
class Said:
    """A sentence that fits several submissions, names and numbers aside; and their students."""

    sentence: str
    students: tuple[str, ...]


def known(people: Sequence[Person]) -> list[Known]:
    """Return the known mistakes that were made, most frequent first."""
    found: dict[str, tuple[Misconception, dict[str, None], dict[str, None]]] = {}
    for person in people:
        for mark in person.marks:
            if fits := mark.misconception:
                _, questions, students = found.setdefault(fits.name, (fits, {}, {}))
                questions[mark.question] = students[person.student] = None
    listed = [Known(fits, tuple(asked), tuple(who)) for fits, asked, who in found.values()]
    return sorted(listed, key=lambda one: (-len(one.students), one.mistake.name))


def unknown(people: Sequence[Person], homework: Homework) -> list[Group]:
    """Return wrong answers that match no known mistake, in groups, largest first.

    Answers with equal results on the shared inputs form a group; the others are grouped by message.
    Answers that depend on a different question being right are left out.
    """
    found: list[Group] = []
    for question in homework.questions:
        wrong = [
            (person, mark)
            for person in people
            if person.answered(question.id)
            for mark in person.marks
            if mark.question == question.id
            and is_unknown(mark)
            # An answer that depends on a wrong one may itself be right.
            and not any(
                one.question in question.needs and one.verdict != "passed" for one in person.marks
            )
        ]
        found += _grouped(question.id, wrong)
    return sorted(found, key=lambda group: -len(group.students))


def _grouped(question: str, wrong: Sequence[tuple[Person, Mark]]) -> list[Group]:
    found: list[Group] = []
    taken: set[str] = set()
    by_inputs: dict[str, list[tuple[Person, Mark, Common]]] = defaultdict(list)
    for person, mark in wrong:
        if person.log and (common := person.log.common.get(question)):
            by_inputs[common.inputs].append((person, mark, common))
    for several in by_inputs.values():
        for places in groups([common.values for _, _, common in several]):
            if len(places) >= SHARED:
                group = [several[place][:2] for place in places]
                found.append(_group(question, group, group_name(question, several[places[0]][2])))
                taken.update(person.student for person, _ in group)
    by_message: dict[str, list[tuple[Person, Mark]]] = defaultdict(list)
    for person, mark in wrong:
        if person.student not in taken:
            by_message[pattern(mark.message)].append((person, mark))
    found += [_group(question, group) for group in by_message.values()]
    return found


def _group(question: str, members: Sequence[tuple[Person, Mark]], name: str = "") -> Group:
    messages = Counter(pattern(mark.message) for _, mark in members)
    most = messages.most_common(1)[0][0]
    message = next(mark.message for _, mark in members if pattern(mark.message) == most)
    if len(message) > MAX_MESSAGE:
        message = f"{message[:MAX_MESSAGE]} ..."
    return Group(question, message, tuple(person.student for person, _ in members), name)


def repairs(people: Sequence[Person]) -> list[Said]:
    """Return the repairs that notebooks needed before they could run, most frequent first."""
    return _said(
        (person.student, line)
        for person in people
        if person.log and not person.log.unrelated
        for line in said_to(person.log.repairs, "student")
    )


def failed_cells(people: Sequence[Person]) -> list[Said]:
    """Return the errors of failed cells, most frequent first."""
    return _said(
        (person.student, f"{error.name}: {error.message}".rstrip(": "))
        for person in people
        if person.log
        for error in person.log.errors
    )


def ended(people: Sequence[Person]) -> list[Said]:
    """Return the questions that crashed or timed out, most frequent first."""
    return _said(
        (person.student, f"{outcome.question} {ENDED[outcome.status]}")
        for person in people
        if person.log
        for outcome in person.log.outcomes
        if outcome.status in ENDED
    )


def _said(lines: Iterable[tuple[str, str]]) -> list[Said]:
    found: dict[str, tuple[str, dict[str, None]]] = {}
    for student, line in lines:
        _, students = found.setdefault(pattern(line), (line, {}))
        students[student] = None
    listed = [Said(one_line(line)[:MAX_MESSAGE], tuple(who)) for line, who in found.values()]
    return sorted(listed, key=lambda one: -len(one.students))


def pattern(message: str) -> str:
    """Return a message without its numbers and quoted names, which vary between answers."""
    return _NUMBER.sub("#", _QUOTED.sub("'…'", message))[:MAX_MESSAGE]


_QUOTED = re.compile(r"'[^'\n]{1,80}'")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*(?:e[-+]?\d+)?")
