"""The share of answers that have each rubric item, for the class and by section."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from autograder.course.people import People
from autograder.records.marks import HandMarks

NO_SECTION = "no section"


@dataclass(frozen=True)
class ItemShare:
    """How many marked answers have an item, in total and by section."""

    words: str
    all: int
    by_section: Mapping[str, int]


@dataclass(frozen=True)
class RubricShares:
    """The items of one question.

    Args:
        count: The number of answers marked with its rubric.
        sections: Section -> how many of them; empty if all are in one.

    """

    question: str
    count: int
    sections: Mapping[str, int]
    items: Sequence[ItemShare]


def shares(given: Mapping[str, HandMarks], roster: People) -> list[RubricShares]:
    """Count how many answers have each item, for each question marked with a rubric.

    Args:
        given: Submission folder -> people's marks.
        roster: The roster, with each person's section.

    """
    marked: dict[str, dict[str, Mapping[str, bool]]] = {}
    for folder, one in given.items():
        for question, items in one.items.items():
            marked.setdefault(question, {})[folder] = items
    section = {folder: _section(folder, roster) for folder in given}
    several = len(set(section.values())) > 1
    found = []
    for question, answers in marked.items():
        here = Counter(section[folder] for folder in answers)
        words = dict.fromkeys(text for items in answers.values() for text in items)
        listed = []
        for text in words:
            having = Counter(section[id] for id, items in answers.items() if items.get(text))
            by_section = {name: having[name] for name in sorted(here)}
            listed.append(ItemShare(text, having.total(), by_section))
        sections = dict(sorted(here.items())) if several else {}
        found.append(RubricShares(question, len(answers), sections, listed))
    return found


def _section(folder: str, roster: People) -> str:
    person = roster.in_folder(folder)
    return person.section if person and person.section else NO_SECTION
